"""The tests: what a stranger sees (contract), what the literature says (oracle), and single parts (unit)."""

import os

# as the command does for itself: threads inside linear algebra would only compete with the workers of the tests
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
