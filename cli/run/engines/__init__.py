"""Where the models of a run are worked on: in processes of this machine, or on the workers of a Dask cluster."""
