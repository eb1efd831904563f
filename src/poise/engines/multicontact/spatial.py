"""Cross products of many vectors at once, as matrices."""

from __future__ import annotations

import numpy as np


def skew(x: np.ndarray) -> np.ndarray:
    """Matrices S (n, 3, 3) with S a = x cross a, of vectors x (n, 3)."""
    S = np.zeros((len(x), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -x[:, 2], x[:, 1], -x[:, 0]
    S[:, 1, 0], S[:, 2, 0], S[:, 2, 1] = x[:, 2], -x[:, 1], x[:, 0]
    return S
