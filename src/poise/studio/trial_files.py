"""A recording as a browser brings it: its file, and the files that have to lie beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import viser

from poise.errors import BadInput, PoiseError
from poise.io.recordings.force_file import ACCEPTED as FORCE_COLUMNS
from poise.io.recordings.force_file import SUFFIXES as FORCES
from poise.io.recordings.force_file import force_file_beside
from poise.studio.uploads import MOST_MOTION, clean, kept

RECORDINGS = (".c3d", ".trc", ".bvh", ".amc")
SKELETON = ".asf"  # of an AMC file
ALL = (*RECORDINGS, SKELETON, *FORCES)


@dataclass(frozen=True, eq=False)
class TrialFiles:
    """One recording with what belongs to it."""

    file: viser.UploadedFile
    skeleton: viser.UploadedFile | None = None
    forces: viser.UploadedFile | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        return clean(self.file.name)

    @property
    def lacks_skeleton(self) -> bool:
        """Whether it cannot be read before its ASF file comes."""
        return suffix_of(self.file) == ".amc" and self.skeleton is None

    def with_forces(self, forces: viser.UploadedFile) -> TrialFiles:
        """The same walk with the file of its force plates."""
        if suffix_of(self.file) != ".trc":
            raise PoiseError(f"{self.name} takes no force file; only TRC files have one beside.")
        return replace(self, forces=forces)

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """The files in a folder of their own, for as long as they are needed."""
        if self.lacks_skeleton:
            raise PoiseError(f"{self.name} needs its skeleton: upload the .asf file here, too.")
        with kept(self.file.name, self.file.content, RECORDINGS, MOST_MOTION) as path:
            for beside in (self.skeleton, self.forces):
                if beside is not None:
                    path.with_suffix(suffix_of(beside)).write_bytes(beside.content)
            if self.forces is not None and force_file_beside(path) is None:
                raise BadInput(clean(self.forces.name), "the file", "without forces", FORCE_COLUMNS)
            try:
                yield path
            except PoiseError as error:  # about our names for the files; people know theirs
                said = str(error).replace(str(path), self.name)
                for beside in (self.skeleton, self.forces):
                    if beside is not None:
                        ours = str(path.with_suffix(suffix_of(beside)))
                        said = said.replace(ours, clean(beside.name))
                raise PoiseError(said) from None


def suffix_of(file: viser.UploadedFile) -> str:
    """The kind of an uploaded file, as ".c3d"."""
    return Path(clean(file.name)).suffix.lower()
