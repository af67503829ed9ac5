"""Settings that come from the environment."""

from __future__ import annotations

import os
from typing import Optional

from ._transport import Transport

DEFAULT_URL = "http://127.0.0.1:8007"


def open_transport(url: Optional[str], key: Optional[str]) -> Transport:
    """Opens a transport. Defaults: ``ISOPOD_URL`` and ``ISOPOD_API_KEY``; empty counts as unset.

    ``ISOPOD_API_KEY`` is used only if the URL comes from the environment too, so that a key is
    never sent to another gateway.
    """
    from_environment = url is None
    url = url or os.environ.get("ISOPOD_URL") or DEFAULT_URL
    if key is None and from_environment:
        key = os.environ.get("ISOPOD_API_KEY")
    return Transport(url, key or None)
