"""Bones of many animation tools mean the same joints."""

import numpy as np
import pytest

from poise.motion.bone_names import bone_of, named_bones


@pytest.mark.parametrize(
    ("bone", "names"),
    [
        (("left", "hip"), "LeftUpLeg lfemur L_Thigh thigh.L mixamorig:LeftUpLeg"),
        (("right", "knee"), "RightLeg rtibia R_Shin shin.R RightShin rCalf"),
        (("left", "ankle"), "LeftFoot lfoot L_Foot foot.L LeftAnkle"),
        (("right", "toe"), "RightToeBase rtoes R_Toe toe.R"),
        (("left", "elbow"), "LeftForeArm lradius forearm.L LeftElbow"),
        ((None, "pelvis"), "Hips hips pelvis root"),
        ((None, "head"), "Head head mixamorig:Head"),
    ],
)
def test_every_tool_s_word_for_a_bone_is_understood(bone: tuple, names: str) -> None:
    for name in names.split():
        assert bone_of(name) == bone, name


def test_spaces_in_names_do_not_hide_a_bone() -> None:
    assert bone_of("Bip01 L Thigh") == ("left", "hip")
    assert bone_of("Bip01 R Foot") == ("right", "ankle")


def test_a_leg_with_one_unknown_name_is_mended_by_its_chain() -> None:
    names = ("Hips", "LeftUpLeg", "something", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
    parents = (-1, 0, 1, 2, 0, 4, 5)
    offsets = np.ones((7, 3))
    found = named_bones(names, parents, offsets)
    assert found["left_knee"] == 2
    assert found["right_knee"] == 5
