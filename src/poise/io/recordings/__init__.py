"""Recordings of people, whatever the file: C3D, TRC with its forces, BVH, ASF with AMC."""

from poise.io.recordings.beside import recording_files as recording_files
from poise.io.recordings.c3d_writing import write_c3d as write_c3d
from poise.io.recordings.reading import read_recording as read_recording
