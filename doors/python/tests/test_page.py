"""The HTML page in a headless browser: what it shows is what the planner says.

`REDIST_BROWSER` names a Chromium, `REDIST` the command line; without both, and playwright, browser tests are skipped.
Each run points at other elements: `REDIST_TEST_SEED` draws them.
"""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

import redist

BROWSER, COMMAND = os.environ.get("REDIST_BROWSER"), os.environ.get("REDIST")
SEED = int(os.environ.get("REDIST_TEST_SEED", "1"))
PIXELS = 2, 600  # around the drawing, and its width, in its own units

# Extents, layouts, and for sections: where each side's begins; for permuted axes: each dimension's in the destination.
CASES = {
    "kr to r": ([60], "cyclic(10) onto 3", "cyclic(2) onto 3"),
    "r to kr": ([1003], "cyclic(2) onto 3", "cyclic(8) onto 4 ranks 3..7"),
    "identity": ([40], "cyclic(5) onto 4", "cyclic(5) onto 4"),
    "general line": ([500], "cyclic(7) onto 4 first 2", "cyclic(3) onto 5"),
    "section": ([55], "cyclic(7) onto 4 of 70 at 9", "cyclic(3) onto 5 of 90 at 11"),
    "given blocks": ([40], "gen_block([9, 0, 31]) onto 3", "block onto 4"),
    "rows to columns": ([12, 9], "(block, *) onto 4", "(*, block) onto 3"),
    "tiles": ([1000, 600], "scalapack(64, 64, 2, 3)", "(*, block) onto 6 storage fortran"),
    "transposed": ([50, 44], "(cyclic(6), cyclic(5)) onto (2, 3)", "(cyclic(4), cyclic(7)) onto (2, 2) transposed"),
    "large": ([1 << 40, 3000], "(cyclic(3), cyclic(5)) onto (40, 5)", "(cyclic(4), cyclic(7)) onto (50, 4)"),
    "cube": ([60, 36, 70], "(block, cyclic(2), *) onto (3, 2)", "(*, block, cyclic(7)) onto (4, 5)"),
    "ranks by a map": ([24, 20, 8], "(cyclic(2), *, *) onto 3 ranks [5, 0, 3]", "(*, cyclic(3), block) onto (2, 2)"),
}
AT = {"section": ([9], [11])}
AXES = {"transposed": [1, 0]}


def command(*arguments):
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


def notation(case):
    extents, src, dst = CASES[case]
    return f"[f64; {', '.join(map(str, extents))}] {{ from: {src}, to: {dst} }}"


def plan_of(case):
    return redist.Plan(*CASES[case])


def data_of(html):
    return json.loads(html.split('id="data">')[1].split("</script>")[0])


def elements(count):
    """A count as the page writes it."""
    return f"{count:,}".replace(",", "\u2009") + (" element" if count == 1 else " elements")


class Planner:
    """Answers of the command line and of the plan, for one case."""

    def __init__(self, case):
        self.case, self.plan = case, plan_of(case)
        self.report = json.loads(command("explain", "--json", notation(case)))
        self.ranks = [self.ranks_of(self.report["ranks"][side]) for side in ("source", "destination")]

    @staticmethod
    def ranks_of(grid):
        return grid.get("listed") or list(range(grid["first"], grid["first"] + grid["count"]))

    def volume(self, source, destination):
        return self.report["counts"][self.ranks[0].index(source)][self.ranks[1].index(destination)]

    def stored(self, side, index):
        at = AT.get(self.case, ([0] * len(index),) * 2)[side]
        axes = AXES.get(self.case, list(range(len(index)))) if side == 1 else list(range(len(index)))
        stored = [0] * len(index)
        for dimension, axis in enumerate(axes):
            stored[axis] = index[dimension] + at[axis]
        return stored

    def check(self, shown):
        """Compares what the page shows of an element with the planner's answers."""
        index, owners = shown["index"], []
        for side, name in enumerate(("src", "dst")):
            stored = self.stored(side, index)
            owner = self.plan.owner(name, stored)
            assert shown["rank"][side] == f"rank {owner}", shown
            assert self.plan.global_index(name, owner, shown["local"][side]) == tuple(stored), shown
            shape = self.plan.local_shape(name, owner)
            assert shown["array"][side].replace("\u2009", "") == " × ".join(map(str, shape)), shown
            owners.append(owner)
        if self.report["counts"] is not None:
            volume = elements(self.volume(*owners))
            stays = owners[0] == owners[1]
            expected = f"stays on rank {owners[0]}, with {volume} in all" if stays else f"rank {owners[0]} → rank {owners[1]}, {volume}"
            assert shown["message"] == expected, shown
        return owners


def numbers(text):
    return [int(number) for number in text.strip("()").split(",")]


def shown_on(page):
    text = lambda name: page.locator(f"#{name}").text_content()
    both = lambda name: [text(f"source-{name}"), text(f"destination-{name}")]
    return {
        "index": numbers(text("element").removeprefix("element ")),
        "rank": both("rank"),
        "local": [numbers(local) for local in both("local")],
        "array": both("array"),
        "message": text("message"),
    }


def point_at(page, name, data, draw):
    """Moves the pointer to an element of a picture, and returns its index along the axes that are drawn."""
    picture = page.locator(f"#{name}")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    rows, columns = (int(picture.get_attribute(f"data-{of}")) for of in ("rows", "columns"))
    row, column = draw.randrange(rows), draw.randrange(columns)
    scale = box["width"] / (PIXELS[1] + 2 * PIXELS[0])
    x = (PIXELS[0] + (column + 0.5) / columns * PIXELS[1]) * scale
    y = PIXELS[0] * scale + (row + 0.5) / rows * (box["height"] - 2 * PIXELS[0] * scale)
    page.mouse.move(box["x"] + x, box["y"] + y)
    down, right = data["axes"]
    if len(data["extents"]) == 1:
        return {0: min(data["shown"][0][0] + row * columns + column, data["shown"][0][1] - 1)}
    return {down: data["shown"][down][0] + row, right: data["shown"][right][0] + column}


@pytest.fixture(scope="module")
def browser():
    if not BROWSER or not COMMAND:
        pytest.skip("REDIST_BROWSER and REDIST are not set")
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
    yield browser
    browser.close()
    playwright.stop()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page of the command line from its file, without a network; errors of its script fail the test."""
    faults, pages = [], []

    def open_page(case, *options, width=1280):
        file = tmp_path / "plan.html"
        assert command("draw", notation(case), "--out", str(file), *options) == ""
        context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
        page.goto(file.as_uri())
        pages.append(context)
        return page, data_of(file.read_text())

    yield open_page
    for context in pages:
        context.close()
    assert faults == []


@pytest.mark.parametrize("case", CASES)
def test_the_element_under_the_pointer_is_the_planner_s(opened, case):
    page, data = opened(case)
    planner, draw = Planner(case), random.Random(f"{SEED} {case}")
    for number in range(8):
        at = point_at(page, ("source", "destination")[number % 2], data, draw)
        shown = shown_on(page)
        # An element may be smaller than a pixel, of which a picture has some hundred.
        for dimension, index in at.items():
            start, end = data["shown"][dimension]
            assert abs(shown["index"][dimension] - index) <= (end - start) // 250, (shown, at)
        planner.check(shown)


@pytest.mark.parametrize("case", ["kr to r", "tiles", "cube"])
def test_keys_do_what_the_pointer_does(opened, case):
    page, data = opened(case)
    planner, right = Planner(case), data["axes"][1]
    page.locator("#source").focus()
    before = shown_on(page)["index"]
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        shown = shown_on(page)
        assert shown["index"][right] == before[right] + step
        owners = planner.check(shown)
    page.keyboard.press("Shift+ArrowRight")
    blocks = data["sides"][0]["blocks"][right]
    assert shown_on(page)["index"][right] in [block[0] for block in blocks] + [data["shown"][right][1] - 1]
    owners = planner.check(shown_on(page))
    page.keyboard.press("Enter")
    picked = [page.locator(f"#pick-{side}").input_value() for side in ("source", "destination")]
    assert picked == [str(owner) for owner in owners]
    number = page.locator("#index input[type=number]").nth(right)
    number.fill(str(before[right] + 3))
    assert shown_on(page)["index"][right] == before[right] + 3


def test_a_slider_moves_the_slice(opened):
    page, data = opened("cube")
    slider = page.locator("#index input[type=range]")
    cut = int(slider.get_attribute("data-dimension"))
    assert cut not in data["axes"]
    slider.focus()
    before = shown_on(page)["index"]
    page.keyboard.press("ArrowRight")
    shown = shown_on(page)
    assert shown["index"][cut] == before[cut] + 1
    Planner("cube").check(shown)


@pytest.mark.parametrize("case", ["kr to r", "tiles", "ranks by a map"])
def test_cells_and_lists_pick_ranks(opened, case):
    page, _ = opened(case)
    planner = Planner(case)
    cells = page.locator("#matrix td")
    ranks = [(source, destination) for source in sorted(planner.ranks[0]) for destination in sorted(planner.ranks[1])]
    assert cells.count() == len(ranks)
    for number, (source, destination) in enumerate(ranks):
        volume = planner.volume(source, destination)
        expected = elements(volume).rsplit(" ", 1)[0] if volume else "·"
        assert cells.nth(number).text_content() == expected, (source, destination)
    source, destination = random.Random(SEED).choice([pair for pair in ranks if planner.volume(*pair)])
    cells.nth(ranks.index((source, destination))).locator("button").click()
    assert page.locator("#picked").text_content().endswith(elements(planner.volume(source, destination)))
    assert page.locator("td.picked").count() == 1
    assert page.locator("#source .common rect").count() == page.locator("#destination .common rect").count() > 0
    page.locator("#pick-none").click()
    assert page.locator("td.picked").count() == page.locator(".common rect").count() == 0
    page.locator("#pick-source").select_option(str(source))
    page.locator("#pick-destination").select_option(str(destination))
    assert cells.nth(ranks.index((source, destination))).get_attribute("class").find("picked") >= 0
    page.locator("td.picked button").focus()
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label') || ''")
    assert focused.startswith(f"rank {source} to rank")


@pytest.mark.parametrize("case", ["kr to r", "general line", "tiles", "cube"])
def test_steps_have_each_message_once(opened, case):
    page, _ = opened(case)
    planner = Planner(case)
    steps, found = planner.report["schedule"]["steps"], {}
    for number in range(steps):
        title = page.locator("#step-title").text_content()
        assert title.startswith(f"{number + 1} of {steps};")
        busy = set()
        for line in page.locator("#step-messages li").all():
            ranks, _, count = (part.text_content() for part in line.locator("> span").all())
            pair = (int(ranks.split()[0]),) * 2 if ranks.endswith("keeps") else tuple(map(int, ranks.split(" → ")))
            assert not busy & {("from", pair[0]), ("to", pair[1])} and pair not in found
            busy |= {("from", pair[0]), ("to", pair[1])}
            found[pair] = count
        page.locator("#next").click()
    expected = {
        (source, destination): elements(planner.volume(source, destination))
        for source in planner.ranks[0]
        for destination in planner.ranks[1]
        if planner.volume(source, destination)
    }
    assert found == expected
    page.locator("#step").fill("0")
    page.locator("#play").click()
    page.wait_for_function("document.getElementById('step-title').textContent.startsWith('2 ')")
    assert page.locator("#play").text_content() == ("pause" if steps > 2 else "play")


@pytest.mark.parametrize("case", CASES)
def test_texts_are_explain_s_and_the_call_makes_the_plan(opened, case):
    page, data = opened(case)
    # The command line groups digits, says bytes first, and breaks lines where they are too long.
    plain = lambda text: " ".join(text.replace("_", "").split())
    explained = page.locator("#explain").text_content()
    assert explained in plan_of(case).explain()
    assert plain(explained.split("\n", 1)[1]) in plain(command("explain", notation(case)))
    call = page.locator("#call").text_content()
    assert json.loads(command("explain", "--json", call))["digest"] == plan_of(case).digest
    is_cut = any(end - start < extent for (start, end), extent in zip(data["shown"], data["extents"]))
    assert ("shows a part" in page.locator("#notes").text_content()) == is_cut


@pytest.mark.parametrize("width", [1280, 800])
def test_pictures_stand_side_by_side_without_a_scroll_bar(opened, width):
    for case in "tiles", "large":
        page, _ = opened(case, width=width)
        source, destination = (page.locator(f"#{name}").bounding_box() for name in ("source", "destination"))
        assert source["x"] + source["width"] <= destination["x"] and abs(source["y"] - destination["y"]) < 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("case", ["kr to r", "tiles", "cube"])
def test_a_notebook_shows_the_same_page(browser, opened, case, tmp_path):
    plan = plan_of(case)
    _, drawn = opened(case)
    html = plan.page().html
    shown, drawn = data_of(html), dict(drawn)
    # The command line explains the element type, too.
    texts = shown.pop("explain"), drawn.pop("explain")
    assert all(plan.src in text for text in texts)
    assert shown == drawn
    page = browser.new_context(offline=True).new_page()
    page.set_content(f"<p>cell</p>{plan._repr_html_()}")
    frame = page.frame_locator("iframe")
    assert frame.locator("#source-layout").text_content() == plan.src
    frame.locator("#source").hover()
    assert frame.locator("#message").text_content() != ""


def test_pages_are_saved(tmp_path):
    plan = redist.Plan((8, 8), "(block, *) onto 4", "(*, block) onto 4")
    page = plan.page(title="Rows to columns", pair=(0, 3))
    assert page.html == str(page) and "<title>Rows to columns</title>" in page.html
    assert data_of(page.html)["pair"] == [0, 3]
    page.save(tmp_path / "page.html")
    assert Path(tmp_path / "page.html").read_text() == page.html
    assert plan._repr_html_().startswith("<iframe")
    assert redist.Plan((0,), "block onto 2", "cyclic onto 2")._repr_html_() is None
    with pytest.raises(redist.PlanError, match="pair"):
        plan.page(pair=(0, 4))
    with pytest.raises(redist.PlanError, match="nowhere"):
        page.save(tmp_path / "nowhere" / "page.html")
