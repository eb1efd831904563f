"""Labels of many laboratories mean the same landmarks."""

import numpy as np
import pytest

from poise.motion.marker_names import (
    CENTRAL,
    SIDED,
    bare_label,
    landmark_of,
    mirrored,
    recognised,
    side_of,
)
from poise.motion.sidedness import all_wrong, wrong_pairs


@pytest.mark.parametrize(
    ("landmark", "labels"),
    [
        ("left_heel", "LHEE L.Heel L_FCC LCAL LHeelBack left_heel l_heel LCA Left.Calcaneus"),
        ("right_toe", "RTOE R_FM2 RMT2 R.MT2 RSMH right_toe R_Toe"),
        ("left_ankle_lateral", "LANK L.Ankle L_FAL LLMAL LMALL LLM LAnkleOut L_Ankle_Lat"),
        ("right_ankle_medial", "RANKM R.Ankle.Medial R_TAM RMMAL RMALM RMED RMMA RSPH"),
        ("left_knee_lateral", "LKNE L.Knee L_FLE LLFC LFCL LLE LKneeOut LLFE LLEK"),
        ("right_knee_medial", "RKNM R.Knee.Medial R_FME RMFC RFCM RKNEM RMFE RMEK RKNEin"),
        ("left_asis", "LASI L.ASIS L_IAS LASIS Skeleton_002:WaistLFront LSIAS"),
        ("right_psis", "RPSI R.PSIS R_IPS RPSIS WaistRBack"),
        ("sacrum", "SACR V.Sacral VSAC Sacrum"),
        ("c7", "C7 CV7 Subject:C7"),
        ("sternum_top", "CLAV IJ SJN JN SUP"),
        ("left_shoulder", "LSHO L.Shoulder L_SAE L.Acromium LA LACR"),
        ("right_mt5", "RMT5 R.MT5 R_FM5 RVMH RD5M RTOE5 RVM"),
        ("left_mt1", "LMT1 L_FM1 LFMH LP1M LFM L.Toe.Med"),
        ("right_wrist_ulnar", "RWRB R_UHE RUS R.Wrist.Med"),
    ],
)
def test_every_lab_s_word_for_a_place_is_understood(landmark: str, labels: str) -> None:
    for label in labels.split():
        assert landmark_of(label) == landmark, label


@pytest.mark.parametrize("label", ["LHipAngles", "CentreOfMass", "PELO", "*12", "", "LFOO", "xyz"])
def test_what_is_no_marker_is_no_landmark(label: str) -> None:
    assert landmark_of(label) is None


def test_no_word_stands_for_two_places() -> None:
    words = [w for text in SIDED.values() for w in text.split()]
    assert len(words) == len(set(words))
    central = [w for text in CENTRAL.values() for w in text.split()]
    assert len(central) == len(set(central))


def test_a_subject_s_name_is_no_part_of_a_label() -> None:
    assert bare_label("Anna_01:LASI") == "LASI"


def test_a_better_word_loses_to_a_marker_that_is_seen() -> None:
    assert recognised(["LTOE", "LMT3"], {"LTOE": 1.0, "LMT3": 1.0})["left_toe"] == "LTOE"
    assert recognised(["LTOE", "LMT3"], {"LTOE": 0.1, "LMT3": 1.0})["left_toe"] == "LMT3"


def test_the_mirror_image_of_a_mirror_image_is_the_landmark() -> None:
    for name in ("left_heel", "right_asis", "c7"):
        assert mirrored(mirrored(name)) == name
    assert (side_of("left_heel"), side_of("c7")) == ("left", None)


def _standing() -> dict[str, np.ndarray]:
    n = 10
    places = {
        "left_asis": (0.0, 0.12, 1.0),
        "right_asis": (0.0, -0.12, 1.0),
        "sacrum": (-0.15, 0.0, 1.0),
        "left_heel": (-0.1, 0.1, 0.0),
        "right_heel": (-0.1, -0.1, 0.0),
        "left_toe": (0.1, 0.1, 0.0),
        "right_toe": (0.1, -0.1, 0.0),
    }
    return {name: np.tile(p, (n, 1)) for name, p in places.items()}


def test_a_pair_on_the_wrong_side_is_named() -> None:
    points = _standing()
    assert wrong_pairs(points) == []
    points["left_heel"], points["right_heel"] = points["right_heel"], points["left_heel"]
    assert wrong_pairs(points) == ["heel"]
    assert not all_wrong(points)


def test_a_mirrored_world_has_everything_on_the_wrong_side() -> None:
    mirror = {name: path * [1.0, -1.0, 1.0] for name, path in _standing().items()}
    assert all_wrong(mirror)
