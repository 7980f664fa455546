"""The page in a real browser: no error, no request, names are text, tables and explorer work, nothing overflows."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

import maxent as me
from maxent.cli import main
from maxent.texts import measure_label
from tests.collections import Tables, write_collection
from tests.results.page.conftest import EVIL

pytestmark = pytest.mark.slow
LEGIBLE = 8  # pixels: least height of a line of text in a figure
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = """
--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync
--no-first-run --force-prefers-reduced-motion
"""


@pytest.fixture(scope="module")
def browser(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """The page in Chromium without a window."""
    found = [path for path in map(shutil.which, BROWSERS) if path]
    driver = shutil.which("chromedriver")
    if not found or not driver:
        assert not (os.environ.get("CI") and sys.platform == "linux"), (
            "no browser: install chromium, chromium-driver"
        )
        pytest.skip("no chromium with chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for argument in (*ARGUMENTS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        session.get("about:blank")
        log(session, "performance")  # requests of the browser's own first page
        session.get(page.as_uri())
        yield session
    finally:
        session.quit()


@pytest.fixture(scope="module")
def study(tables: Tables) -> pd.DataFrame:
    return me.study(*tables, depth=200, progress=False).tables["informativeness"]


def log(browser: webdriver.Chrome, kind: str) -> list[dict[str, str]]:
    """Entries of a log since the last call."""
    entries: list[dict[str, str]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def column(browser: webdriver.Chrome, table: str, position: int) -> list[str]:
    """Cells of a column that are shown, from top to bottom."""
    script = """
    const rows = [...document.querySelector(arguments[0]).tBodies[0].rows].filter((row) => !row.hidden);
    return rows.map((row) => row.cells[arguments[1]].textContent);
    """
    return list(browser.execute_script(script, table, position))


def heading(browser: webdriver.Chrome, table: str, position: int) -> WebElement:
    return browser.find_elements(By.CSS_SELECTOR, f"{table} thead th")[position]


def test_it_loads_alone_and_runs_nothing_of_the_names(browser: webdriver.Chrome, page: Path) -> None:
    logged = [json.loads(entry["message"])["message"] for entry in log(browser, "performance")]
    sent = [one["params"]["request"]["url"] for one in logged if one["method"] == "Network.requestWillBeSent"]
    assert [url for url in sent if not url.startswith("data:")] == [page.as_uri()]
    assert log(browser, "browser") == []  # neither an error nor something that the policy stopped
    assert browser.execute_script("return document.images.length") == 0
    assert browser.title == "Names & <tags> – maxent study"
    assert set(column(browser, "#runs-table", 0)) == {*EVIL.values()}


def test_tables_sort_and_filter(browser: webdriver.Chrome, study: pd.DataFrame) -> None:
    means = me.summarize(study).query("threshold == 1").set_index("measure")["rms"]
    names = column(browser, "#summary-table", 0)  # AP, which is GAP(1, 0), too, has one row
    labels = {name: measure_label(name) for name in means.index if name.startswith("BrokenStick")}
    means = means.rename(labels)[names]
    assert column(browser, "#summary-table", 3) == [f"{rms:.4f}" for rms in means]
    cell = heading(browser, "#summary-table", 3)
    button = cell.find_element(By.TAG_NAME, "button")
    button.click()
    assert cell.get_attribute("aria-sort") == "ascending"
    assert column(browser, "#summary-table", 3) == [f"{x:.4f}" for x in sorted(means)]
    button.send_keys(Keys.ENTER)
    assert cell.get_attribute("aria-sort") == "descending"
    assert column(browser, "#summary-table", 3) == [f"{x:.4f}" for x in sorted(means, reverse=True)]
    tip = browser.find_element(By.ID, "tip")
    assert tip.is_displayed()
    assert "root mean square" in tip.text
    button.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()
    box = browser.find_element(By.CSS_SELECTOR, "#summary input[type=search]")
    box.send_keys("ndcg")
    assert set(column(browser, "#summary-table", 0)) == {"nDCG(gain=exp2)"}
    assert browser.find_element(By.CSS_SELECTOR, "#summary output").text == f"1 of {len(means)} rows"
    box.clear()
    box.send_keys(" ")
    assert len(column(browser, "#summary-table", 0)) == len(means)


def test_the_explorer_shows_the_numbers_of_the_study(browser: webdriver.Chrome, study: pd.DataFrame) -> None:
    table = me.studies.choose_from(study).table.sort_values("g_1", ignore_index=True)
    slider = browser.find_element(By.ID, "g-slider")
    menu = Select(browser.find_element(By.ID, "g-menu"))
    assert "(recommended)" in menu.first_selected_option.text
    slider.send_keys(Keys.HOME)
    assert explorer_row(browser) == ["GAP(0, 1)", *numbers_of(table.iloc[0])]
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert explorer_row(browser) == ["GAP(.25, .75)", *numbers_of(table.iloc[2])]
    assert menu.first_selected_option.text == ".25, .75"
    meaning = browser.find_elements(By.CSS_SELECTOR, ".errors thead .tip")[-1]
    meaning.send_keys(Keys.NULL)  # the focus
    assert "averaged over the thresholds" in browser.find_element(By.ID, "tip").text
    lists = Select(browser.find_element(By.ID, "g-list"))
    rows = study[study["measure"] == table["measure"].iloc[2]].set_index(["run_id", "query_id", "threshold"])["rms"]
    data = json.loads(browser.find_element(By.ID, "explorer-data").get_attribute("textContent") or "")
    for position in (0, len(lists.options) - 1):
        lists.select_by_index(position)
        one = data["lists"][position]
        shown = [found.text for found in browser.find_elements(By.CSS_SELECTOR, ".curves .rms")]
        assert shown == [f"RMS {rows[one['run'], one['topic'], t]:.4f}" for t in (1, 2)]
    path = browser.find_element(By.CSS_SELECTOR, ".curves .line.inferred")
    before = path.get_attribute("d")
    slider.send_keys(Keys.END)
    assert browser.find_element(By.CSS_SELECTOR, ".curves .line.inferred").get_attribute("d") != before


def explorer_row(browser: webdriver.Chrome) -> list[str]:
    return [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, ".errors tbody tr:first-child > *")]


def numbers_of(row: pd.Series) -> list[str]:
    return [f"{row[name]:.4f}" for name in ("rms_t1", "rms_t2", "objective")]


@pytest.fixture(scope="module")
def long_names(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of runs with names that nothing breaks."""
    runs, qrels = tables
    folder = tmp_path_factory.mktemp("names")
    number = {topic: str(k) for k, topic in enumerate(qrels["query_id"].unique())}
    tables_of = (table.assign(query_id=table["query_id"].map(number)) for table in (runs, qrels))
    runs, qrels = (table.dropna(subset=["query_id"]) for table in tables_of)
    names = {name: f"<b>{k}</b>{'_' * 90}" for k, name in enumerate(EVIL.values())}
    write_collection(folder, runs.assign(run_id=runs["run_id"].map(names).str.replace("/", "|")), qrels)
    return folder


PAGES = {
    "judgments": ["compare", "judgments", "--g-steps", "3"],
    "systems": ["compare", "systems", "--measures", "AP"],
    "discriminative": ["compare", "discriminative", "--replicates", "50"],
    "evaluate": ["evaluate"],
    "explain": ["explain", "--topic", "1"],
}


@pytest.mark.parametrize(
    ("kind", "width"), [*(("page", width) for width in (375, 768, 1280)), *((kind, 375) for kind in PAGES)]
)
def test_the_page_fits(
    browser: webdriver.Chrome, kind: str, width: int, page: Path, long_names: Path, tmp_path: Path
) -> None:
    """No page is wider than the screen, and no figure that has few columns."""
    path = page
    if kind != "page":
        path, qrels = tmp_path / "report.html", str(long_names / "qrels.txt")
        runs = sorted(map(str, (long_names / "runs").iterdir()))
        given = ["--qrels", *[qrels] * (2 if kind == "judgments" else 1), "--depth", "200", "--report", str(path)]
        assert main([*PAGES[kind], *given, "--runs", *(runs[:1] if kind == "explain" else runs)]) == 0
    browser.get(path.as_uri())
    assert log(browser, "browser") == []
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.execute_script("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    root = "document.documentElement"
    assert browser.execute_script(f"return {root}.scrollWidth <= {root}.clientWidth")
    assert browser.execute_script(
        "return [...document.querySelectorAll('.plot')].every((one) => one.scrollWidth <= one.clientWidth)"
    )
    if kind != "evaluate":  # which has no figure
        sizes = "[...document.querySelectorAll('.plot text')].map((one) => one.getBoundingClientRect().height)"
        assert browser.execute_script(f"return Math.min(...{sizes})") > LEGIBLE


def test_three_grades_are_a_triangle(browser: webdriver.Chrome, tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=4, depth=200, rng=3)
    spread = qrels["relevance"] + (qrels.index % 3 == 0) * (qrels["relevance"] > 0)
    measures = [me.GAP(g=g) for g in me.g_grid(levels=3, steps=3)]
    found = qrels.assign(relevance=spread.clip(upper=3))
    three = me.study(runs, found, measures=measures, min_retrieved=1, depth=200, progress=False)
    browser.get(three.report(tmp_path / "three.html").as_uri())
    triangle = browser.find_element(By.CSS_SELECTOR, ".map svg")
    dots = triangle.find_elements(By.CSS_SELECTOR, ".pick")
    assert len(dots) == 6
    dots[0].click()
    first = explorer_row(browser)
    triangle.send_keys(Keys.ARROW_LEFT, Keys.ARROW_DOWN)
    assert triangle.get_attribute("aria-activedescendant") != "g-0"
    assert explorer_row(browser) != first
    assert len(browser.find_elements(By.CSS_SELECTOR, ".curves figure")) == 3
    assert log(browser, "browser") == []


def test_the_explorer_fits_its_cell(browser: webdriver.Chrome, page: Path, tables: Tables, tmp_path: Path) -> None:
    cell = me.study(*tables, g_steps=3, depth=200, progress=False).explore()
    (tmp_path / "cell.html").write_text(f"<!doctype html><body style='width: 600px'>{cell}", encoding="utf-8")
    browser.get((tmp_path / "cell.html").as_uri())
    browser.switch_to.frame(browser.find_element(By.TAG_NAME, "iframe"))
    content, height = browser.execute_script(
        "const root = document.documentElement; return [root.offsetHeight, root.clientHeight]"
    )
    assert content <= height <= content + 20
    browser.get(page.as_uri())
