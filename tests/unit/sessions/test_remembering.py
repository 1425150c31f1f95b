"""What is remembered of the world's answers: nothing that they would not say again."""

from collections.abc import Callable

from toolgate.machine.imagined import Imagined
from toolgate.model.world import ABSENT, World
from toolgate.sessions.remembering import MOST, Memory


def counted(work: Callable[[World], object]) -> tuple[Callable[[World], object], list[int]]:
    calls: list[int] = []

    def once_more(world: World) -> object:
        calls.append(1)
        return work(world)

    return once_more, calls


def test_it_holds_for_as_long_as_the_answers_do() -> None:
    memory = Memory()
    work, calls = counted(lambda world: (world.read("/a", 10), world.kind("/b"), world.listing("/", 9), world.link("/l")))
    one = Imagined(files={"/a": "x"}, links={"/l": "/a"})
    assert memory.of("key", one, work) == memory.of("key", one, work) == ("x", ABSENT, ("a", "l"), "/a")
    assert len(calls) == 1
    for other in (
        Imagined(files={"/a": "y"}, links={"/l": "/a"}),
        Imagined(files={"/a": "y", "/b": ""}, links={"/l": "/a"}),
        Imagined(files={"/a": "y", "/b": ""}, links={"/l": "/b"}),
        one,
    ):
        before = len(calls)
        assert memory.of("key", other, work) == work(other)
        assert len(calls) == before + 2


def test_keys_are_kept_apart_and_few() -> None:
    memory, world = Memory(), Imagined()
    for n in range(3 * MOST):
        assert memory.of(n, world, lambda _world, n=n: n) == n  # type: ignore[misc]
    work, calls = counted(lambda _world: "again")
    assert [memory.of(0, world, work) for _ in range(2)] == ["again"] * 2
    assert len(calls) == 1


def test_the_one_nobody_asked_for_the_longest_is_forgotten() -> None:
    memory, world = Memory(3), Imagined()
    works = {n: counted(lambda _world, n=n: n) for n in range(4)}  # type: ignore[misc]
    for n in (0, 1, 2, 0, 3, 0, 2, 3, 1):
        memory.of(n, world, works[n][0])
    assert [len(calls) for _, calls in works.values()] == [1, 2, 1, 1]


def test_what_was_followed_is_told_of_the_world_itself() -> None:
    world = Imagined(files={"/a": "x"})
    assert Memory().of("key", world, lambda noting: (noting.followed(), noting.identity("/a"), noting.git("/"))) == (
        world.followed(),
        ABSENT,
        ABSENT,
    )
