"""Settings of all tests: none fails because the machine is busy, or started them with nohup."""

import signal

from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

for name in ("SIGINT", "SIGHUP"):  # programs that tests start would ignore them too
    number = getattr(signal, name, None)  # Windows has no SIGHUP
    if number and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
