"""A workflow engine's code step: runs the step's code over HTTP, standard library only."""

import asyncio
import json
import os
import urllib.error
import urllib.request


async def code_execution_step(step_config, input_data, execution_context):
    """Runs the code of a step; ``input_data`` is the variable of that name in the program.

    Returns the response of ``POST /execute``. Raises ``RuntimeError`` if the service refuses the
    request; a failed program is a response.
    """
    config = step_config.get("config", {})
    timeout = config.get("timeout", 30)
    body = {
        "language": config.get("language", "python"),
        "code": config.get("code", ""),
        "timeout_seconds": timeout,
        "memory_mb": config.get("memory_mb", 256),
        "input_data": input_data,
    }
    # The job may also wait for a free worker.
    return await asyncio.to_thread(_post, "/execute", body, timeout + 60)


def _post(path, body, seconds):
    service = os.environ.get("CODE_EXECUTION_SERVICE_URL", "http://localhost:8007")
    request = urllib.request.Request(
        service + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        detail = json.load(refused)["detail"]
        raise RuntimeError(f"code execution: {detail}") from None


if __name__ == "__main__":
    step = {"config": {"code": "print(sum(input_data['nums']))", "timeout": 5}}
    print(json.dumps(asyncio.run(code_execution_step(step, {"nums": [1, 2, 3]}, {}))))
