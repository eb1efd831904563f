"""A recorded person on the page, and the events of the feet that can be moved by hand."""

import numpy as np
import pytest

from poise.engines.imitate import human
from poise.examples import synthetic_trial, write_synthetic_trial
from poise.studio import engine_jobs
from poise.studio.person import Person, contact_bars, stances

TRIAL = synthetic_trial()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trial")
    write_synthetic_trial(folder, TRIAL)
    return folder / "walk.c3d", folder / "static.c3d"


def test_a_person_is_read_with_joints_markers_and_contacts(files):
    walk, static = files
    person = engine_jobs.person(str(walk), str(static))
    assert 1.5 < person.height < 2.0
    assert {"left_hip", "right_ankle", "left_toe", "right_wrist"} <= set(person.joints)
    assert all(path.shape == (len(person.time), 3) for path in person.joints.values())
    assert person.markers.shape[1] > 20
    assert len(person.contacts["left"]["ic"]) >= 3
    bars = contact_bars(person, person.contacts, float(person.time[0]))
    assert bars.count("position:absolute") >= 8 and "left" in bars


def test_events_that_somebody_moved_are_used_instead_of_those_found(files):
    walk, _ = files
    person = engine_jobs.person(str(walk), None)
    moved = {
        side: {k: list(v) for k, v in kinds.items()} for side, kinds in person.contacts.items()
    }
    moved["left"]["ic"][1] += 0.04
    events = engine_jobs._events(str(walk), moved)
    assert np.allclose(events.left.ic, moved["left"]["ic"])
    again = Person.of(human(TRIAL.walk, events=events))
    assert again.contacts["left"]["ic"][1] == pytest.approx(moved["left"]["ic"][1])


def test_a_foot_stands_from_its_contact_to_its_toe_off():
    events = {"ic": [1.0, 3.0], "to": [0.4, 2.0]}
    assert stances(events, 0.0, 4.0) == [(0.0, 0.4), (1.0, 2.0), (3.0, 4.0)]
    assert stances({"ic": [], "to": []}, 0.0, 4.0) == [(0.0, 4.0)]
