"""The table in a real browser: sorted by a click, filtered by a word."""

from __future__ import annotations

from pathlib import Path

from browser import launch
from poise.fleet.page import page, write_page
from poise.fleet.result import CRASHED, GOOD, NOT_GOOD, Result
from poise.fleet.table import ranked

RESULTS = ranked(
    [
        Result(
            f"{robot}/walk {k}.c3d",
            "imitate",
            robot,
            GOOD if k else NOT_GOOD,
            "" if k else "self-collision </script><b>bold</b>",
            {
                "trial": f"walk {k}.c3d",
                "slip_mm": 10.5 - k,
                "upright": k != 2,
                "used_pct": 50.0 + k,
            },
            run={"cpu_seconds": float(k)},
        )
        for robot in ("hrp2", "hoap3")
        for k in range(4)
    ]
    + [Result("hrp2/dead", "imitate", "hrp2", CRASHED, "@DATA@ worker died")]
)


def test_a_click_sorts_another_turns_around_and_words_filter(tmp_path: Path) -> None:
    path = tmp_path / "table.html"
    write_page(RESULTS, path, "walks & more")
    with launch() as browser:
        view = browser.new_page(viewport={"width": 1280, "height": 720})
        problems: list[str] = []
        view.on("pageerror", lambda error: problems.append(str(error)))
        view.on("request", lambda r: problems.append(r.url) if r.url[:4] == "http" else None)
        view.goto(path.as_uri())
        heads = view.locator("#table th").all_inner_texts()
        slip = next(k for k, head in enumerate(heads) if head.startswith("slip"))

        def column(k: int) -> list[str]:
            return view.locator(f"#table tbody tr td:nth-child({k + 1})").all_inner_texts()

        assert view.locator("h1").inner_text() == "walks & more"
        assert column(0) == [str(k) for k in range(1, 10)], "the best first"
        view.locator("#table th button", has_text="slip").click()
        up = column(slip)
        assert up == ["7.5", "7.5", "8.5", "8.5", "9.5", "9.5", "10.5", "10.5", ""]
        view.locator("#table th button", has_text="slip").click()
        assert column(slip) == ["10.5", "10.5", "9.5", "9.5", "8.5", "8.5", "7.5", "7.5", ""]
        view.locator("#filter").fill("self-coll hrp2")
        assert len(column(0)) == 1 and view.locator("#shown").inner_text() == "1 of 9"
        assert "</script><b>bold</b>" in view.locator("#table tbody").inner_text()
        view.locator("#filter").fill("")
        view.locator("#robot").select_option("hoap3")
        assert set(column(heads.index("robot"))) == {"hoap3"}
        link = view.locator("#table a").first.get_attribute("href")
        assert link is not None and link.startswith("results/hoap3/walk%20")
        assert problems == []


def test_an_empty_batch_has_a_page_too() -> None:
    assert "0 jobs" in page([], "nothing")
