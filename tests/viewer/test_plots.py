import pytest
from PIL import Image

from poise.errors import BadInput
from poise.robot import load_robot
from poise.viewer.plots import plot_balance, plot_joints
from viewer_helpers.motions import squat

NAO = load_robot("nao")
MOTION = squat(NAO, duration=1.0)


def test_balance_and_joints_become_pictures(tmp_path):
    for path in (
        plot_balance(NAO, MOTION, tmp_path / "balance.png"),
        plot_joints(NAO, MOTION, tmp_path / "joints.png", ["LKneePitch", "HeadYaw"]),
    ):
        picture = Image.open(path).convert("L")
        assert picture.width > 600
        low, high = picture.getextrema()
        assert low < 100 < high  # ink on paper


def test_vector_files_are_written_too(tmp_path):
    assert b"<svg" in plot_joints(NAO, MOTION, tmp_path / "a.svg", ["HeadYaw"]).read_bytes()[:2000]


def test_an_unknown_kind_of_file_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"\.svg"):
        plot_balance(NAO, MOTION, tmp_path / "balance.docx")
