"""The maps of a report page: hovering, pinning, selecting, zooming, keys, colours."""

import re

from checks import Failed, expect, expect_equal
from report_page import shows

MAP = "#maps .panel:first-child .map"
DOTS = "#maps .map canvas:first-child"
MARKS = "#maps .map canvas:last-child"


def expect_others_change(report, selector, act, *arguments):
    """All maps in sight but the first must look different after the act."""
    before = report.ask("printCanvases", selector)
    act(*arguments)
    after = report.ask("printCanvases", selector)
    others = [(then["print"], now["print"])
              for then, now in list(zip(before, after))[1:] if now["inSight"]]
    changed = sum(then != now for then, now in others)
    expect(others, "no other map is in sight")
    expect(changed == len(others),
           f"only {changed} of the {len(others)} other maps in sight changed")


def farthest_from_line(places, pixels):
    """How far places of the screen are from being a linear function of places in the data."""
    mean_x, mean_y = sum(places) / len(places), sum(pixels) / len(pixels)
    spread = sum((x - mean_x) ** 2 for x in places)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(places, pixels)) / spread
    return max(abs(y - mean_y - slope * (x - mean_x)) for x, y in zip(places, pixels))


# ---- hovering


def node_of_card(report, data):
    """The node that the card names; None where several have that name."""
    expect(not report.ask("isHidden", "#card"), "no card")
    title = report.text("#card h3")
    nodes = [i for i in range(data.nodes) if shows(title, data.name(i))]
    expect(nodes, f'the card names "{title}", which no node is called')
    return nodes[0] if len(nodes) == 1 else None


def check_cards(checks, report, data, spots):
    """Returns pairs of a node and the spot where it was found."""
    found = []
    with checks.claim("hovering shows the card of the node that is there"):
        expect(spots, "the map shows no node")
        for spot in spots:
            report.move_to(spot)
            node = node_of_card(report, data)
            if node is not None:
                found.append((node, spot))
        expect(len(found) >= 5, f"only {len(found)} nodes with a name of their own")
        for axis in "xy":
            places = [data.arrays[f"0.{axis}"][node] for node, _ in found]
            far = farthest_from_line(places, [spot[axis] for _, spot in found])
            expect(far < 9, f"the card is of a node that lies {far:.0f} pixels away")
    return found


def check_hovering(checks, report, data):
    spots = report.ask("findSpots", f"{MAP} canvas", 9)
    found = check_cards(checks, report, data, spots)
    with checks.claim("the card goes when the pointer leaves"):
        report.move_to(spots[0])
        expect(not report.ask("isHidden", "#card"), "it did not come")
        report.move_away()
        expect(report.ask("isHidden", "#card"), "it stays")
    with checks.claim("hovering rings the node in the other maps"):
        expect_others_change(report, MARKS, report.move_to, spots[4])
    return found


# ---- pinning


def adjacency_of(data):
    """For every node those it shares an edge with; the data have each edge once."""
    starts, ends = data.arrays["starts"], data.arrays["ends"]
    lists = [[] for _ in range(data.nodes)]
    for i in range(data.nodes):
        for j in ends[starts[i] : starts[i + 1]]:
            lists[i].append(j)
            lists[j].append(i)
    return lists


class Pinned:
    """The node to pin: of those that were found, the one most at odds with its neighbours."""

    def __init__(self, data, found):
        self.data, self.lists = data, adjacency_of(data)
        self.predicted = data.arrays["0.predicted"]
        self.node, self.spot = max(found, key=lambda f: len(self.others(f[0])))
        self.name = data.name(self.node)

    def others(self, i):
        """Neighbours that are predicted another class."""
        return [j for j in self.lists[i] if self.predicted[j] != self.predicted[i]]


def check_pin(checks, report, pinned):
    def pin():
        report.click_at(**pinned.spot)
        report.move_away()

    with checks.claim("a click pins the node and marks it in every map"):
        report.move_away()
        expect_others_change(report, MARKS, pin)
        title = report.text("#node h3")
        expect(shows(title, pinned.name), f'"{title}" is pinned')


def check_values(checks, report, pinned):
    about, arrays = pinned.data.about, pinned.data.arrays
    with checks.claim("the pinned node shows its values"):
        text = report.text("#node")
        for measure in about["views"][0]["measures"]:
            value = arrays[f"0.{measure}"][pinned.node]
            digits = 4 if value != 0 and abs(value) < 0.01 else 3
            expect(f"{value:.{digits}f}" in text, f"{measure} is missing in: {text}")
        name = about["graph"]["classes"][pinned.predicted[pinned.node]][:30]
        expect(name in text, f"the predicted class {name} is missing in: {text}")


def check_neighbours(checks, report, pinned):
    others, n_neighbours = pinned.others(pinned.node), len(pinned.lists[pinned.node])
    with checks.claim("the pinned node tells which neighbours disagree") as claim:
        told = f"{len(others)} of {n_neighbours} neighbour" if others else "neighbour"
        expect(told in report.text("#node"), f'"{told}" is missing')
        listed = report.texts("#node li bdi")
        names = [pinned.data.name(i) for i in others[:8]]
        expect_equal([n for n in names if not any(shows(l, n) for l in listed)], [])
        claim.note = told


def check_pinning(checks, report, data, found):
    pinned = Pinned(data, found)
    check_pin(checks, report, pinned)
    check_values(checks, report, pinned)
    check_neighbours(checks, report, pinned)
    with checks.claim("the pinned node is drawn on the simplex"):
        which = report.texts("#simplex .simplex .which bdi")
        expect(any(shows(name, pinned.name) for name in which), f"it shows {which}")


# ---- selecting


def brush(report):
    """Drags a box with shift around a node in the middle of those that are shown."""
    reach = 0.1 * report.ask("boxOf", MAP)["width"]
    spot = report.ask("findSpots", f"{MAP} canvas", 3)[1]
    corners = [{axis: spot[axis] + side * reach for axis in "xy"} for side in (-1, 1)]
    report.act(report.drag, *corners, True)


def check_selecting(checks, report):
    # Most nodes are not selected and have one pale colour then, the same in all maps.
    with checks.claim("dragging with shift selects, in every map") as claim:
        expect_others_change(report, DOTS, brush, report)
        found = report.ask("commonestColours", DOTS)
        expect(len({f["colour"] for f in found}) == 1, "the maps do not pale alike")
        expect(all(f["share"] > 0.1 for f in found), "hardly a node is pale")
        claim.note = f"{found[0]['share'] * 100:.0f} % pale"
    with checks.claim("the selected nodes are listed") as claim:
        expect(not report.ask("isHidden", "#selection"), "the list is hidden")
        rows = report.ask("countOf", "#selection tbody tr")
        expect(rows > 0, "no rows")
        found = re.search(r"[\d,]+(?= nodes?\b)", report.text("#selection"))
        counted = int(found[0].replace(",", "")) if found else 0
        expect(counted >= rows, f"{rows} rows, {counted} nodes")
        claim.note = f"{counted} nodes"


def check_escape(checks, report, before):
    with checks.claim("Escape clears pin and selection"):
        report.ask("focus", MAP)
        report.act(report.press, "Escape")
        expect(report.ask("isHidden", "#selection"), "the selection is still listed")
        expect_equal(report.prints(f"{DOTS}, {MARKS}"), before)


# ---- zooming and moving


def show_all(report):
    report.act(report.click, "#maps button", "Show all")


def check_zooming(checks, report):
    spot = report.ask("findSpots", f"{MAP} canvas", 1)[0]
    before = report.prints(DOTS)
    with checks.claim('the wheel zooms every map, "Show all" restores them exactly'):
        expect_others_change(report, DOTS, report.wheel, spot, 3, -120)
        show_all(report)
        expect_equal(report.prints(DOTS), before, "the maps are not as before")
    with checks.claim("dragging moves a map that is zoomed"):
        report.ask("focus", MAP)
        report.act(report.press, "+")
        to = {"x": spot["x"] + 40, "y": spot["y"] + 30}
        expect_others_change(report, DOTS, report.act, report.drag, spot, to)
        show_all(report)


def check_tab_key(checks, report):
    is_there = f"document.activeElement === document.querySelector('{MAP}')"
    with checks.claim("Tab reaches the map"):
        report.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
        for _ in range(60):
            report.press("Tab")
            if report.evaluate(is_there):
                return
        expect(False, "not within 60 stops")


def check_keys(checks, report):
    with checks.claim("keys zoom and move the map, 0 shows all"):
        report.show(MAP)
        before = report.prints(DOTS)
        for key in ["+", "ArrowLeft", "ArrowUp", "-"]:
            try:
                expect_others_change(report, DOTS, report.act, report.press, key)
            except Failed as error:
                raise Failed(f"{key}: {error}") from error
        report.act(report.press, "0")
        expect_equal(report.prints(DOTS), before, "the maps are not as before")


# ---- colours


def check_colouring(checks, report):
    select = "#maps .panel:first-child select.what"
    with checks.claim("every choice of colours draws another map") as claim:
        choices = report.ask("optionsOf", select)
        first, seen = report.evaluate(f"document.querySelector('{select}').value"), {}
        expect(len(choices) >= 4, f"only {choices}")
        for choice in choices:
            report.choose(select, choice)
            look = report.prints(DOTS)[0]
            expect(look not in seen, f"{choice} looks as {seen.get(look)} does")
            seen[look] = choice
        report.choose(select, first)
        claim.note = ", ".join(choices)


def check_legend(checks, report):
    entry = "#maps .panel .legend button"
    with checks.claim("a click on a class of the legend lets it stand out"):
        before = report.prints(DOTS)
        expect_others_change(report, DOTS, report.act, report.click, entry)
        report.act(report.click, entry)
        expect_equal(report.prints(DOTS), before, "a second click does not end it")


def check_maps(checks, report, data):
    report.show(MAP)
    report.move_away()
    before = report.prints(f"{DOTS}, {MARKS}")
    found = check_hovering(checks, report, data)
    if not found:
        return
    check_pinning(checks, report, data, found)
    report.show(MAP)
    check_selecting(checks, report)
    check_escape(checks, report, before)
    report.show(MAP)
    check_zooming(checks, report)
    check_tab_key(checks, report)
    check_keys(checks, report)
    check_colouring(checks, report)
    check_legend(checks, report)
