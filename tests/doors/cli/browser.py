"""The page of `redist serve` in Debian's Chromium: typed on, mended, tabbed through, copied from, and read by its accessibility tree.

browser.py REDIST FOLDER: the program, and a folder for screenshots and for the calls that were copied.
"""

import http.server
import pathlib
import re
import subprocess
import sys
import threading

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

REDIST, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
WRONG = "[f64; 1003] {\n    from: cylic(10) onto 3,\n    to: cyclic(2) ontoo 3,\n}"
HUGE = "[f64; 10] { from: *, to: * copies 1048576 }"


class Server:
    """The program, which ends with the test."""

    def __enter__(self):
        self.program = subprocess.Popen([REDIST, "serve"], stdout=subprocess.PIPE, text=True)
        self.address = self.program.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", self.address), self.address
        return self

    def end(self):
        self.program.kill()
        self.program.wait()

    def __exit__(self, *_):
        self.end()


def step(words):
    print(f"  {words}", flush=True)


def planned(page):
    """Waits until the page shows the plan of its text."""
    expect(page.locator("#status")).to_contain_text("Planned:", timeout=20_000)
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")


def typed(page, text):
    """Replaces the text by keys."""
    page.locator("#text").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def focused(page):
    """Names the element with the focus, and whether its outline is seen."""
    return page.evaluate(
        """() => {
            const at = document.activeElement;
            const style = getComputedStyle(at);
            const label = at.id || at.getAttribute("aria-labelledby") || at.getAttribute("aria-label") || at.textContent.trim();
            return [at === document.body ? "" : label, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
        }"""
    )


def shot(page, name):
    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)


def accessible(page, name):
    """Fails where axe finds anything that keeps somebody out."""
    found = Axe().run(page).response["violations"]
    told = [(one["id"], one["help"], [node["html"] for node in one["nodes"]][:3]) for one in found]
    assert not told, f"{name}: {told}"


def mistakes_are_marked_and_mended(page):
    step("mistakes are marked at their words, told, and mended by keys")
    typed(page, WRONG)
    expect(page.locator("#mistakes li")).to_have_count(2)
    assert page.locator("#marks mark").all_inner_texts() == ["cylic", "ontoo"]
    # A mark lies where the word is drawn in the field.
    marks = page.locator("#marks").bounding_box()
    field = page.locator("#text").bounding_box()
    assert all(abs(marks[side] - field[side]) <= 1 for side in ("x", "y", "width", "height")), (marks, field)
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    status = page.get_by_role("status").first
    expect(status).to_contain_text("2 mistakes: line 2, column 11: unknown distribution `cylic`; did you mean `cyclic`?")
    expect(page.locator("#stale")).to_be_visible()
    shot(page, "mistakes")
    accessible(page, "mistakes")
    page.keyboard.press("Control+Home")
    page.keyboard.press("F8")
    assert page.evaluate("getSelection().toString()") == "cylic"
    page.keyboard.insert_text("cyclic")
    expect(page.locator("#mistakes li")).to_have_count(1)
    # To the button of the mistake that is left, by keys alone.
    for _ in range(20):
        page.keyboard.press("Tab")
        if focused(page)[0] == "use onto":
            break
    assert focused(page) == ["use onto", True]
    page.keyboard.press("Enter")
    planned(page)
    expect(page.locator("#mistakes-part")).to_be_hidden()
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "false")
    assert focused(page)[0] == "text", "the focus stays where one goes on typing"
    page.keyboard.press("Control+Home")
    assert page.locator("#text").input_value() == WRONG.replace("cylic", "cyclic").replace("ontoo", "onto")


def a_plan_is_shown(page):
    step("both layouts, messages, schedule and figures are shown")
    assert page.locator("#layouts dd").all_inner_texts() == ["cyclic(10) onto 3", "cyclic(2) onto 3"]
    titles = ["The layouts of both sides", "What two ranks have in common",
              "The elements that every rank sends to every other", "The messages in their steps"]
    assert page.locator("#pictures h3").all_inner_texts() == titles
    for title in titles:
        box = page.get_by_role("img", name=title).bounding_box()
        assert box["width"] > 300 and box["height"] > 100, (title, box)
    expect(page.get_by_role("table")).to_be_visible()
    assert page.get_by_role("rowheader").count() == 3 and page.get_by_role("columnheader").count() == 3
    figures = dict(zip(page.locator("#figures dt").all_inner_texts(), page.locator("#figures dd").all_inner_texts()))
    assert figures["digest"] == "a0a27680e7c89307" and figures["classes"] == "kr→r", figures
    expect(page.locator("#explained")).to_contain_text("dimension 0: kr→r, k = 5, r = 2")


def keys_reach_everything(page):
    step("keys reach everything, in the order of the page, and leave it again")
    page.reload()
    planned(page)
    page.keyboard.press("Tab")
    reached = []
    for _ in range(80):
        name, seen = focused(page)
        if not name:
            break
        assert seen, f"the focus on {name} is not seen"
        reached.append(name)
        page.keyboard.press("Tab")
    wanted = ["Skip to the plan", "example", "text", "values", "relabel", "The layouts of both sides", "picture-ownership",
              "picture-schedule", "table-heading", "Copy: The macro’s item", "call-rust", "Copy: Python", "Copy: C",
              "explained", "save"]
    places = [reached.index(name) for name in wanted]
    assert places == sorted(places), (wanted, reached)
    assert not name, f"the focus does not leave the page: {reached}"
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert focused(page)[0] == "results"


def calls_are_copied(page, context):
    step("the macro's item and the calls of Python and C are copied by keys")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    for key, name, suffix in [("rust", "The macro’s item", "rs"), ("python", "Python", "py"), ("c", "C", "c")]:
        page.get_by_role("button", name=f"Copy: {name}", exact=True).focus()
        page.keyboard.press("Enter")
        row = page.locator(f"div.call:has(#call-{key})")
        expect(row.get_by_role("status")).to_have_text("copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == row.locator("pre").inner_text() and "cyclic(10) onto 3" in copied, copied
        (FOLDER / f"copied.{suffix}").write_text(copied)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a page").press("Enter")
    saved = FOLDER / "saved.html"
    download.value.save_as(saved)
    assert saved.read_text().startswith("<!doctype html>")
    context.clear_permissions()


def readers_have_names(page, context):
    step("every element of the accessibility tree that needs a name has one")
    tree = context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    names = {}
    for one in tree:
        if not one.get("ignored"):
            names.setdefault(one["role"]["value"], []).append(one.get("name", {}).get("value", ""))
    for role in ["textbox", "combobox", "checkbox", "button", "link", "image", "region", "heading", "form", "navigation"]:
        assert names.get(role) and all(names[role]), (role, names.get(role))
    assert sorted(names["textbox"]) == ["Array and layouts", "Values of names, one on each line"], names["textbox"]
    assert names["form"] == ["Redistribution"] and "main" in names and "banner" in names, names.keys()
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].filter((h) => h.offsetParent).map((h) => +h.tagName[1])")
    assert levels[0] == 1 and all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels


def it_is_seen_in_any_light(page):
    step("contrast, names and order hold in light, in the dark, and on a narrow screen")
    for name, scheme, size in [("light", "light", (1400, 900)), ("dark", "dark", (1400, 900)), ("narrow", "dark", (390, 800))]:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        accessible(page, name)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name}: the page is {wide} pixels wider than the window"
        shot(page, name)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1400, "height": 900})


def examples_items_and_values(page):
    step("every example is planned; items are chosen, and values given")
    count = page.locator("#example option").count()
    assert count >= 6
    for number in range(count):
        page.locator("#example").select_option(index=number)
        text = page.locator("#text").input_value()
        planned(page)
        expect(page.locator("#mistakes-part")).to_be_hidden()
        assert text, number
    values = page.locator("#values")
    values.fill("NB = (")
    expect(page.locator("#mistakes li").first).to_contain_text("value of NB")
    page.locator("#mistakes button").first.press("Enter")
    assert focused(page)[0] == "values"
    values.fill("")
    expect(page.locator("#mistakes li").first).to_contain_text("the value of `NB` is not known here")
    typed(page, "struct A: [f64; 60] { from: block onto 3, to: * } struct B: [f64; 80] { from: block onto 4, to: * }")
    planned(page)
    expect(page.locator("#results-heading")).to_have_text("Plan of A")
    page.get_by_label("Item", exact=True).select_option("B")
    expect(page.locator("#results-heading")).to_have_text("Plan of B")
    page.reload()
    planned(page)
    assert page.locator("#text").input_value().startswith("struct A"), "a reload keeps the text"


def large_plans_end(page):
    step("a text whose plan is too large says so, and the next one is planned")
    typed(page, HUGE)
    expect(page.locator("#status")).to_contain_text(re.compile("Planned:|10 seconds|2 GiB"), timeout=40_000)
    typed(page, "[f64; 9] { from: block onto 3, to: * }")
    planned(page)


def other_sites_are_refused(context, address):
    step("a page of another site reads nothing and has nothing planned")
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    served.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=served.serve_forever, daemon=True).start()
    stranger = context.new_page()
    stranger.goto(f"http://127.0.0.1:{served.server_port}/")
    for kind in ["application/json", "text/plain"]:
        asked = """async ([url, kind]) => {
            try { return (await fetch(url, { method: "POST", headers: { "Content-Type": kind }, body: "{}" })).status; }
            catch (error) { return error.name; }
        }"""
        assert stranger.evaluate(asked, [f"{address}plan", kind]) == "TypeError", kind
    framed = stranger.evaluate("""(url) => new Promise((done) => {
        const frame = document.body.appendChild(document.createElement("iframe"));
        frame.onload = () => { try { done(frame.contentDocument === null ? "closed" : "open"); } catch { done("closed"); } };
        frame.src = url;
    })""", address)
    assert framed == "closed"
    stranger.close()
    served.shutdown()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        page = context.new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(server.address)
        planned(page)
        mistakes_are_marked_and_mended(page)
        a_plan_is_shown(page)
        keys_reach_everything(page)
        calls_are_copied(page, context)
        readers_have_names(page, context)
        it_is_seen_in_any_light(page)
        examples_items_and_values(page)
        said = [line for line in said if "favicon" not in line]
        assert not said, said
        large_plans_end(page)
        other_sites_are_refused(context, server.address)
        strangers = [url for url in asked if not url.startswith((server.address, "data:", "blob:"))]
        assert not strangers, strangers
        step("a server that has ended is told of")
        server.end()
        typed(page, "[f64; 8] { from: block onto 2, to: * }")
        expect(page.locator("#status")).to_contain_text("does not answer")
        browser.close()
    print("the page passed")


main()
