"""Force plates of every kind tell the same wrench and the same centre of pressure."""

import numpy as np
import pytest

from poise.io.recordings.plates import RawPlate, plate_of

MM = 1000.0
CORNERS = MM * np.array([[1.3, 0.2, 0.0], [0.7, 0.2, 0.0], [0.7, 0.6, 0.0], [1.3, 0.6, 0.0]])
RATE = 1000.0


def _step() -> tuple[np.ndarray, np.ndarray]:
    """Force on the person [N] and where it acts in the world [m], silence before and after."""
    t = np.linspace(0.0, 1.0, 1000)
    load = np.where((t > 0.3) & (t < 0.8), np.sin(np.pi * (t - 0.3) / 0.5), 0.0)
    force = np.column_stack([40.0 * load, -25.0 * load, 800.0 * load])
    place = np.column_stack([0.9 + 0.2 * t, 0.4 + 0.02 * t, np.zeros_like(t)])
    return force, place


def _free() -> np.ndarray:
    """Twist of the ground on the person about the vertical [N m]."""
    return _step()[0] * [0.0, 0.0, 0.01]


def _channels(kind: int, origin: np.ndarray) -> np.ndarray:
    """What the plate's amplifier gives: the person's action, plate axes (z down), N and N mm."""
    force, place = _step()
    middle = CORNERS.mean(axis=0) / MM
    R_world_plate = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
    F = -force @ R_world_plate
    p = (place - middle) @ R_world_plate
    free = -MM * _free() @ R_world_plate
    if kind == 1:
        return np.column_stack([F, MM * p[:, :2], free[:, 2]])
    # the origin goes from the sensor to the middle of the surface
    M = np.cross(MM * p + origin, F) + free
    if kind in (2, 4):
        return np.column_stack([F, M])
    a, b, depth = abs(origin[0]), abs(origin[1]), -abs(origin[2])
    M = np.cross(MM * p + [0.0, 0.0, depth], F) + free
    fz, mx, my, mz = F[:, 2], M[:, 0], M[:, 1], M[:, 2]
    # four corner forces that have this sum and these moments, and pairs of shear forces
    z1 = 0.25 * (fz + mx / b - my / a)
    z2 = 0.25 * (fz + mx / b + my / a)
    z3 = 0.25 * (fz - mx / b + my / a)
    z4 = 0.25 * (fz - mx / b - my / a)
    x12, x34 = 0.5 * F[:, 0] - 0.25 * mz / b, 0.5 * F[:, 0] + 0.25 * mz / b
    y14, y23 = 0.5 * F[:, 1] + 0.25 * mz / a, 0.5 * F[:, 1] - 0.25 * mz / a
    return np.column_stack([x12, x34, y14, y23, z1, z2, z3, z4])


def _raw(kind: int, **changes) -> RawPlate:
    origin = np.array({3: [210.0, 260.0, -41.0]}.get(kind, [1.5, -2.5, -40.0]))
    channels = _channels(kind, origin)
    calibration = None
    if kind == 4:
        calibration = np.diag([2.0, 2.0, 4.0, 500.0, 500.0, 300.0])
        calibration[0, 1] = 0.05
        channels = channels @ np.linalg.inv(calibration).T
    facts = dict(
        kind=kind,
        corners=CORNERS,
        origin=origin,
        channels=channels,
        rate=RATE,
        moment_unit=1e-3,
        calibration=calibration,
    )
    return RawPlate(**{**facts, **changes})


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_force_and_centre_of_pressure_of_every_kind(kind: int) -> None:
    force, place = _step()
    plate = plate_of(_raw(kind), 1.0 / MM, np.eye(3))
    assert plate is not None
    on = force[:, 2] > 50.0
    assert np.abs(plate.force - force).max() < 1e-6
    assert np.abs(plate.centre_of_pressure()[on] - place[on]).max() < 1e-6
    assert np.isnan(plate.centre_of_pressure()[~on & (force[:, 2] == 0.0)]).all()
    middle = CORNERS.mean(axis=0) / MM
    assert np.abs(plate.moment - np.cross(place - middle, force) - _free()).max() < 1e-6


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_the_offset_of_an_empty_plate_is_removed(kind: int) -> None:
    raw = _raw(kind)
    drift = 0.4 * np.arange(1.0, raw.channels.shape[1] + 1)
    plate = plate_of(_raw(kind, channels=raw.channels + drift), 1.0 / MM, np.eye(3))
    assert plate is not None
    assert np.abs(plate.force - _step()[0]).max() < 1e-6
    assert plate.notes["offset_removed_N"] > 0.1


def test_a_plate_that_is_never_empty_keeps_its_readings() -> None:
    raw = _raw(2)
    loaded = raw.channels[400:700]
    plate = plate_of(_raw(2, channels=loaded), 1.0 / MM, np.eye(3))
    assert plate is not None
    assert plate.notes["offset_removed_N"] == 0.0


def test_a_wrong_moment_unit_is_found_out() -> None:
    plate = plate_of(_raw(2, moment_unit=1.0), 1.0 / MM, np.eye(3))
    assert plate is not None
    force, place = _step()
    on = force[:, 2] > 50.0
    assert np.abs(plate.centre_of_pressure()[on] - place[on]).max() < 1e-6


def test_an_origin_with_the_wrong_sign_is_found_out() -> None:
    origin = np.array([236.0, 813.0, 0.0])  # a treadmill's, far from its middle
    wrong = _raw(2, channels=_channels(2, origin), origin=-origin)
    plate = plate_of(wrong, 1.0 / MM, np.eye(3))
    assert plate is not None
    force, place = _step()
    on = force[:, 2] > 50.0
    assert np.abs(plate.centre_of_pressure()[on] - place[on]).max() < 1e-6


def test_a_surface_origin_above_the_sensor_with_a_plus_sign_is_turned() -> None:
    raw = _raw(2)
    plate = plate_of(_raw(2, origin=-raw.origin), 1.0 / MM, np.eye(3))
    assert plate is not None
    force, place = _step()
    on = force[:, 2] > 50.0
    assert np.abs(plate.centre_of_pressure()[on] - place[on]).max() < 1e-6


def test_a_plate_that_tells_the_ground_s_side_is_reversed() -> None:
    plate = plate_of(_raw(2, channels=-_raw(2).channels), 1.0 / MM, np.eye(3))
    assert plate is not None
    assert plate.force[:, 2].max() == pytest.approx(800.0, rel=1e-3)


def test_corners_on_one_spot_make_no_plate() -> None:
    assert plate_of(_raw(2, corners=np.zeros((4, 3))), 1.0 / MM, np.eye(3)) is None
