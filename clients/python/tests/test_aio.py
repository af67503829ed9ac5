"""The client for asyncio."""

import asyncio
import time

import pytest

from isopod import AsyncIsopod, InvalidJobError
from time_factor import scaled

pytestmark = pytest.mark.usefixtures("gateway")

ENDLESS = "echo on; sleep 60"


def run(main):
    """Runs a coroutine function with a client."""

    async def with_client():
        async with AsyncIsopod() as isopod:
            return await main(isopod)

    return asyncio.run(with_client())


async def until_idle(isopod):
    """Waits a while; returns whether no execution waits or runs any more."""
    deadline = time.monotonic() + scaled(20)
    while time.monotonic() < deadline:
        queue = await isopod.queue()
        if queue["waiting"] == queue["running"] == 0:
            return True
        await asyncio.sleep(0.1)
    return False


def test_programs_run_side_by_side():
    async def main(isopod):
        return await asyncio.gather(*(isopod.run(f"print({n})") for n in range(3)))

    assert [result.stdout for result in run(main)] == ["0\n", "1\n", "2\n"]


def test_errors_are_the_same():
    async def main(isopod):
        with pytest.raises(InvalidJobError, match="Code cannot be empty"):
            await isopod.run("")

    run(main)


def test_cancelling_the_task_cancels_the_execution():
    async def main(isopod):
        task = asyncio.ensure_future(isopod.run(ENDLESS, "bash"))
        while (await isopod.queue())["running"] == 0:
            await asyncio.sleep(0.1)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < scaled(5)
        return await until_idle(isopod)

    assert run(main)


def test_a_timeout_of_asyncio_cancels_it_too():
    async def main(isopod):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(isopod.run(ENDLESS, "bash"), 1)
        return await until_idle(isopod)

    assert run(main)


def test_events_come_while_it_runs():
    async def main(isopod):
        id = await isopod.submit(ENDLESS, "bash", stream=True)
        seen = []
        async for event in isopod.events(id):
            seen.append(event.type)
            if event.type == "stdout":
                await isopod.cancel(id)
        return seen

    seen = run(main)
    assert "stdout" in seen
    assert seen[-1] == "finished"


def test_leaving_events_early_leaves_no_thread_behind():
    async def main(isopod):
        id = await isopod.submit(ENDLESS, "bash", stream=True)
        events = isopod.events(id)
        async for event in events:
            if event.type == "stdout":
                break
        waiting = asyncio.ensure_future(events.__anext__())
        await asyncio.sleep(0.2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await isopod.cancel(id)

    started = time.monotonic()
    run(main)
    assert time.monotonic() - started < scaled(30)


def test_a_batch_yields_results_as_they_come_and_leaving_it_cancels_the_rest():
    async def main(isopod):
        jobs = [{"code": ENDLESS, "language": "bash"}, {"code": "print(1)"}, {"code": ""}]
        batch = isopod.batch(jobs, in_flight=3)
        seen = {}
        async for item in batch:
            seen[item.index] = item
            if len(seen) == 2:
                break
        await batch.aclose()
        assert seen[1].result.stdout == "1\n"
        assert isinstance(seen[2].error, InvalidJobError)
        return await until_idle(isopod)

    assert run(main)
