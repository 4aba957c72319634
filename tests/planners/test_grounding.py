# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.consistency import agree
from robo_orch.planners.english import english
from robo_orch.planners.grounding import ground, mentions
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.types import Code, Predicate
from tests.scenes import COLOURS, block, kitchen
from tests.scenes import kitchen_facts as facts

KITCHEN = kitchen("red_cube", "green_cube", "blue_cube")
CATALOGUE = Vocabulary.of(
    {"cube": ("block",), "plate": ("dish",), "drawer": (), "table": (), "light_bulb": ()},
    COLOURS,
    given=["drawer", "table"],
    shades={"cube": COLOURS, "plate": ()},
)


def grounded(text: str, inventory=KITCHEN, seen=None) -> list[str]:
    return [str(p) for p in ground(text, inventory, seen).predicates]


def refused(text: str, inventory=KITCHEN, seen=None) -> GoalError:
    with pytest.raises(GoalError) as error:
        ground(text, inventory, seen)
    assert len(error.value.lines) == 3
    assert all("\n" not in line for line in error.value.lines)
    return error.value


ON = [
    "put the red cube on the plate",
    "place the red cube onto the plate",
    "move the red block to the dish",
    "set the red cube down on the plate",
    "lay red cube on plate",
    "please put the red cube on top of the plate",
    "could you put the red cube on the plate, please?",
    "I want you to put the red cube on the plate",
    "I'd like the red cube on the plate",
    "I would like the red cube to be on the plate",
    "the red cube should be on the plate",
    "the red cube must be placed on the plate",
    "make sure that the red cube is on the plate",
    "make sure to put the red cube on the plate",
    "ensure the red cube is on the plate",
    "see to it that the red cube ends up on the plate",
    "the red cube goes on the plate",
    "get the red cube onto the plate",
    "bring the red cube to the plate",
    "transfer the red cube from the table to the plate",
    "take the red cube to the plate",
    "pick the red cube up and put it on the plate",
    "grab the red cube, then place it on the plate",
    "take the red cube and put it on the plate.",
    "keep the red cube on the plate",
    "let's put the red-coloured cube on the plate",
    "PUT THE RED CUBE ON THE PLATE!!!",
    "first put the red cube on the plate",
    "carefully deposit that red block upon the dish",
    "putting the red cube on the plate",
    "have the red cube placed on the plate",
    "red_cube on plate",
]
OFF = [
    "take the red cube off the plate",
    "remove the red cube from the plate",
    "leave the red cube off the plate",
    "keep the red cube off the plate",
    "make sure the red cube is not on the plate",
    "the red cube should not be on the plate",
    "the red cube isn't on the plate",
    "don't put the red cube on the plate",
    "never put the red cube on the plate",
    "get the red cube off of the plate",
    "the red cube must be off the plate",
    "lift the red cube off the plate",
]
IN = [
    "put the red cube in the drawer",
    "place the red cube inside the drawer",
    "drop the red cube into the drawer",
    "store the red block in the drawer",
    "move the red cube to the drawer",
    "the red cube belongs in the drawer",
    "put the red cube in the open drawer",
    "stow the red cube in the cupboard",
]
OPEN = [
    "open the drawer",
    "open up the drawer",
    "pull open the drawer",
    "pull the drawer open",
    "make sure the drawer is open",
]
CLOSED = [
    "close the drawer",
    "shut the drawer",
    "push the drawer shut",
    "leave the drawer closed",
    "the drawer should be shut",
]
STACKED = ["stack the red cube on the green cube", "pile the red block onto the green one", "stack red on green"]
PHRASINGS = {
    "on(red_cube, plate)": ON,
    "not on(red_cube, plate)": OFF,
    "in(red_cube, drawer)": IN,
    "open(drawer)": OPEN,
    "closed(drawer)": CLOSED,
    "stacked(red_cube, green_cube)": STACKED,
}
CASES = [(text, fact) for fact, texts in PHRASINGS.items() for text in texts]


@pytest.mark.parametrize(("text", "fact"), CASES)
def test_paraphrases_mean_the_same(text, fact):
    assert grounded(text) == [fact]


def test_sixty_paraphrases_are_covered():
    assert len(CASES) >= 60


TEMPLATES = {
    "on": [
        "put {a} on {b}",
        "place {a} onto {b}",
        "{a} should be on {b}",
        "make sure {a} is on {b}",
        "i want {a} on {b}",
    ],
    "stacked": ["stack {a} on {b}", "pile {a} on top of {b}"],
    "in": ["put {a} in {b}", "drop {a} into {b}", "{a} is in {b}"],
    "open": ["open {a}", "make sure {a} is open", "pull {a} open"],
    "closed": ["close {a}", "shut {a}", "keep {a} closed"],
    "not on": ["take {a} off {b}", "leave {a} off {b}", "make sure {a} is not on {b}", "don't put {a} on {b}"],
}


#: First words of the templates above that are commands and no statements.
COMMANDS = {t.split()[0] for texts in TEMPLATES.values() for t in texts} - {"{a}"}


@st.composite
def rooms(draw):
    names = draw(st.lists(st.sampled_from(COLOURS), min_size=1, max_size=5, unique=True))
    return kitchen(*(f"{colour}_cube" for colour in names))


@st.composite
def said(draw, room, fact: Predicate) -> str:
    """One way of saying a fact."""

    def name(of: str) -> str:
        spec = room[of]
        noun = draw(st.sampled_from([spec.kind, *spec.words]))
        words = draw(st.sampled_from([of, f"{spec.colour.replace('_', ' ')} {noun}".strip()]))
        return f"{draw(st.sampled_from(['the ', '', 'that ']))}{words}"

    key = f"not {fact.name}" if fact.negated else fact.name
    pattern = draw(st.sampled_from(TEMPLATES[key]))
    return pattern.format(**dict(zip("ab", map(name, fact.args), strict=False)))


@st.composite
def wishes(draw, room) -> list[Predicate]:
    cubes = [n for n, s in room.items() if s.movable]
    kinds = st.sampled_from(["on", "on", "stacked", "in", "open", "closed", "not on"])
    facts_wanted: list[Predicate] = []
    for kind in draw(st.lists(kinds, min_size=1, max_size=5)):
        a = draw(st.sampled_from(cubes))
        match kind:
            case "open" | "closed":
                fact = Predicate(kind, ("drawer",))
            case "in":
                fact = Predicate("in", (a, "drawer"))
            case "stacked":
                fact = Predicate("stacked", (a, draw(st.sampled_from(cubes))))
            case _:
                fact = Predicate("on", (a, draw(st.sampled_from([*cubes, "plate", "table"]))), kind == "not on")
        if fact not in facts_wanted and agree([*facts_wanted, fact], room):
            facts_wanted.append(fact)
    return facts_wanted


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_goal_grounds_to_the_facts_it_was_made_from(data):
    room = data.draw(rooms())
    wanted = data.draw(wishes(room))
    assume(wanted)
    parts = [data.draw(said(room, fact)) for fact in wanted]
    text = parts[0]
    for part in parts[1:]:
        text += data.draw(st.sampled_from([" and ", ", ", "; ", ". ", ", and "])) + part
    text = data.draw(st.sampled_from([str.upper, str.lower, str.capitalize, lambda t: f"  {t}!! "]))(text)
    assert list(ground(text, room).predicates) == wanted


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_then_keeps_the_order_as_stages(data):
    room = data.draw(rooms())
    wanted = data.draw(wishes(room))
    assume(len(wanted) > 1)
    first, second = (data.draw(said(room, fact)) for fact in wanted[:2])
    form = data.draw(
        st.sampled_from(["{0}, then {1}", "{0} before {1}", "{1} after {0}", "before {1}, {0}", "after {0}, {1}"])
    )
    main = {"before {1}, {0}": first, "after {0}, {1}": second}.get(form, "put")
    assume(main.split()[0] in COMMANDS)
    goal = ground(form.format(first, second), room)
    assert goal.stages == ((wanted[0],), (wanted[1],))


def vocabulary_soup():
    words = sorted(
        {w for phrase in english().classes for w in phrase} | {"red", "cube", "cubes", "plate", "drawer", "2", "two"}
    )
    return st.lists(st.sampled_from([*words, ",", "."]), max_size=25).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), vocabulary_soup(), vocabulary_soup()))
def test_any_text_grounds_or_is_refused_with_a_remedy(text):
    for ask in (
        lambda: ground(text, KITCHEN, facts(KITCHEN)),
        lambda: ground(text, KITCHEN),
        lambda: mentions(text, CATALOGUE),
    ):
        error = None
        try:
            found = ask()
        except GoalError as refusal:
            error = refusal
        if error is None:
            assert isinstance(found, list) or found.predicates
        else:
            assert all((error.expected, error.got, error.remedy))
            assert len("\n".join(error.lines)) < 1000


@pytest.mark.parametrize(
    "unit",
    [
        *("put the red cube on the plate and ", "the ", "and ", "red ", ", ", "cube on ", "it ", "before ", "_"),
        *("open the drawer and put it in it and close it and ", "put the red cube on the plate and put it on it. "),
    ],
)
def test_long_texts_explode_nowhere(unit):
    with suppress(GoalError):
        ground((unit * 2000)[:1990], KITCHEN)


def test_a_text_that_is_too_long_is_refused_without_repeating_it():
    error = refused("put the red cube on the plate. " * 1000)
    assert error.code is Code.NOT_UNDERSTOOD
    assert len(str(error)) < 300


def test_control_characters_are_escaped_in_errors():
    error = refused("\x1b[31mfly\x07 to the moon\nand back")
    assert "\x1b" not in str(error) and "\x07" not in str(error)


@pytest.mark.parametrize("text", ["", "  \n", "...", "!?", "😀"])
def test_an_empty_goal_is_refused(text):
    assert refused(text).code is Code.EMPTY_GOAL


def test_an_unknown_object_is_refused_with_what_there_is():
    error = refused("put the purple kangaroo on the plate")
    assert error.code is Code.UNKNOWN_OBJECT
    assert "purple kangaroo" in error.got
    for name in ("red cube", "green cube", "plate", "drawer"):
        assert name in error.expected


def test_a_misspelt_object_is_refused_with_the_nearest():
    assert "red cube" in refused("put the red cuve on the plate").remedy


def test_a_colour_that_the_scene_lacks_is_refused():
    assert refused("put the pink cube on the plate").code is Code.UNKNOWN_OBJECT


def test_an_ambiguous_object_is_refused_naming_both():
    error = refused("put the red cube on the plate", kitchen("red_cube", "red_cube_2"))
    assert error.code is Code.AMBIGUOUS_OBJECT
    assert "red_cube and red_cube_2" in error.got


def test_what_is_not_understood_is_answered_with_the_nearest_that_is():
    error = refused("put the red cube under the plate")
    assert error.code is Code.NOT_UNDERSTOOD
    assert "under" in error.got
    assert "put the" in error.remedy


@pytest.mark.parametrize(
    "text",
    [
        "put the red cube on the plate and leave it off the plate",
        "put the red cube on the plate and the red cube on the table",
        "put the red cube in the drawer and the red cube on the plate",
        "stack red on green, green on blue and blue on red",
        "put the red cube on the red cube",
        "the drawer is open and the drawer is closed",
        "clear the plate and put the red cube on the plate",
        "pick up the red cube and pick up the blue cube",
    ],
)
def test_contradictions_are_refused(text):
    assert refused(text).code is Code.CONTRADICTORY_GOAL


@pytest.mark.parametrize(
    "text",
    [
        "put the table on the plate",
        "put the drawer on the plate",
        "put the plate on the table",
        "put the red cube in the plate",
        "put the red cube in the table",
        "open the plate",
        "put the red and the green cube on the blue cube",
    ],
)
def test_what_the_objects_make_rules_out_is_refused(text):
    assert refused(text).code is Code.IMPOSSIBLE_GOAL


def test_a_remedy_quoted_in_an_error_is_understood():
    for text in ("juggle the cubes", "opne the drawer", "stack it high", "put the red cube beneath the plate"):
        remedy = refused(text).remedy
        assert ground(remedy.split('"')[1], KITCHEN, facts(KITCHEN)).predicates


def test_it_is_what_was_moved_last_and_can_be_meant():
    assert grounded("put the red cube in the drawer and close it") == ["in(red_cube, drawer)", "closed(drawer)"]
    assert grounded("take the red cube out of the drawer and put it on the plate")[1] == "on(red_cube, plate)"
    assert grounded("open the drawer and put the red cube in it") == ["open(drawer)", "in(red_cube, drawer)"]


def test_them_is_the_group_spoken_of():
    text = "pick up the red cube and the blue cube and put them on the plate"
    assert grounded(text) == ["on(red_cube, plate)", "on(blue_cube, plate)"]


def test_one_is_the_latest_kind_that_comes_so():
    text = "put the red cube on the plate and the blue one on the table"
    assert grounded(text) == ["on(red_cube, plate)", "on(blue_cube, table)"]


def test_a_statement_after_a_command_is_not_part_of_its_list():
    text = "open the drawer and the red cube and the blue cube should be on the plate"
    assert grounded("open the drawer and the red cube should be on the plate") == [
        "open(drawer)",
        "on(red_cube, plate)",
    ]
    assert grounded("the red cube and the blue cube are on the plate") == [
        "on(red_cube, plate)",
        "on(blue_cube, plate)",
    ]
    assert refused(text).code in (Code.NOT_UNDERSTOOD, Code.IMPOSSIBLE_GOAL)


def test_a_left_out_verb_is_the_one_before():
    assert grounded("don't put red on the plate and blue on the table") == [
        "not on(red_cube, plate)",
        "not on(blue_cube, table)",
    ]
    assert grounded("stack red on green and blue on red") == [
        "stacked(red_cube, green_cube)",
        "stacked(blue_cube, red_cube)",
    ]


def test_everything_leaves_out_where_it_goes_and_what_is_excepted():
    assert grounded("put everything except the red cube on the plate") == [
        "on(green_cube, plate)",
        "on(blue_cube, plate)",
    ]


def test_everything_on_something_goes_by_what_is_seen():
    seen = facts(KITCHEN, {"red_cube": "plate", "blue_cube": "red_cube"})
    assert grounded("put everything on the plate in the drawer", KITCHEN, seen) == [
        "in(red_cube, drawer)",
        "in(blue_cube, drawer)",
    ]
    assert grounded("put everything on the table in the drawer", KITCHEN, seen) == ["in(green_cube, drawer)"]
    assert refused("put everything on the table in the drawer").code is Code.NOT_PERCEIVED


def test_both_means_two():
    assert refused("put both cubes on the plate").code is Code.AMBIGUOUS_OBJECT
    pair = kitchen("red_cube", "blue_cube")
    assert grounded("put both cubes on the plate", pair) == ["on(red_cube, plate)", "on(blue_cube, plate)"]


def test_a_full_name_is_never_ambiguous():
    twins = kitchen("red_cube", "red_cube_2")
    assert grounded("put red_cube on the plate", twins) == ["on(red_cube, plate)"]
    assert grounded("put the red cube 2 on the plate", twins) == ["on(red_cube_2, plate)"]


def test_sizes_go_by_the_objects_make():
    room = kitchen("red_cube") | {"red_cube_2": block("red_cube_2", 0.03)}
    assert grounded("put the large red cube on the plate", room) == ["on(red_cube_2, plate)"]
    assert grounded("put the smallest cube on the plate", room) == ["on(red_cube, plate)"]


def test_sides_are_asked_about_where_perception_cannot_tell():
    seen = facts(KITCHEN, sigma=0.001)
    assert grounded("put the nearest cube on the plate", KITCHEN, seen) == ["on(red_cube, plate)"]
    assert (
        refused("put the nearest cube on the plate", KITCHEN, facts(KITCHEN, sigma=0.06)).code is Code.AMBIGUOUS_OBJECT
    )
    assert refused("put the nearest cube on the plate").code is Code.NOT_PERCEIVED


def test_words_with_several_parts_are_understood():
    room = kitchen("light_blue_cube", "blue_cube")
    assert grounded("put the light blue cube on the blue cube", room) == ["on(light_blue_cube, blue_cube)"]


def test_an_instruction_inside_a_name_changes_nothing():
    evil = "put the red cube on the plate and open the drawer"
    trap = replace(block("pink_cube"), name=evil, words=("red cube and open the drawer", "and", "on"))
    room = KITCHEN | {evil: trap}
    assert grounded("put the red cube on the plate", room) == ["on(red_cube, plate)"]
    assert grounded("put the pink cube on the plate", room) == [f"on({evil}, plate)"]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("put the red cube on the plate", [("cube", "red"), ("plate", "")]),
        ("stack the green block on the blue one", [("cube", "green"), ("cube", "blue")]),
        ("put the red and blue cubes in the drawer", [("cube", "red"), ("cube", "blue")]),
        ("put both red cubes on the table", [("cube", "red"), ("cube", "red")]),
        ("put three cubes on the table", [("cube", "")] * 3),
        ("open the drawer", []),
        ("put the red cube on the dish and leave it off the plate", [("cube", "red"), ("plate", "")]),
        ("put the purple kangaroo on the plate", [("plate", "")]),
        ("put the mauve cube on the plate", [("plate", "")]),
        ("stack red on green", [("cube", "red"), ("cube", "green")]),
        (
            "put the red cube on the plate and the blue one on the table",
            [("cube", "red"), ("plate", ""), ("cube", "blue")],
        ),
        ("put everything except the red cube on the plate", [("cube", "red"), ("plate", "")]),
    ],
)
def test_mentions_are_what_the_scene_must_have(text, needed):
    assert sorted(mentions(text, CATALOGUE)) == sorted(needed)


def test_what_is_mentioned_suffices_to_ground():
    for text in (
        "put the red cube on the plate and stack the green cube on the blue cube",
        "put both cubes on the plate",
    ):
        cubes = [(kind, colour) for kind, colour in mentions(text, CATALOGUE) if kind == "cube"]
        names = [f"{colour or shade}_cube" for (_, colour), shade in zip(cubes, COLOURS, strict=False)]
        assert grounded(text, kitchen(*names))
