"""Many motions on many cores and many machines.

A job is plain data, `perform` makes a motion of it through the front door, a crew (the local
cores, or a Dask cluster) runs many of them, and a shelf keeps what came of it, whole.
"""
