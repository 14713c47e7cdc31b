"""Slack's refusals: what each means for a delivery, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from aiohttp import ClientConnectorError
from slack_sdk.errors import SlackApiError

from digests.channel import ChannelId
from digests.errors import DeliveryError

REINSTALL = "install the app again and set the bot token that it then gets"
_INVITE = "type /invite @Paperround in that channel"
_ASK_ADMIN = "ask an admin of the workspace to let the app post there"
_REPORT = "this is a fault of Paperround: report it with the channel and the date"

# https://docs.slack.dev/reference/methods/chat.postMessage#errors
OF_THE_APP = frozenset(
    """account_inactive invalid_auth missing_scope not_allowed_token_type not_authed team_access_not_granted
    team_not_found token_expired token_revoked two_factor_setup_required""".split()
)
"""What Slack says of the token or its rights: no channel is at fault."""

MENDING = {
    "channel_not_found": f"it is gone, or private and without the app: {_INVITE}",
    "not_in_channel": _INVITE,
    "is_archived": "unarchive the channel, or remove it from Paperround",
    "messages_tab_disabled": "switch on the app's messages tab under App Home",
    **dict.fromkeys(OF_THE_APP - {"missing_scope"}, REINSTALL),
    **dict.fromkeys(
        """access_denied cannot_reply_to_message channel_type_not_supported ekm_access_denied
        enterprise_is_restricted no_permission restricted_action restricted_action_non_threadable_channel
        restricted_action_read_only_channel restricted_action_thread_locked
        restricted_action_thread_only_channel""".split(),
        _ASK_ADMIN,
    ),
    **dict.fromkeys(
        """block_mismatch invalid_arguments invalid_array_arg invalid_blocks invalid_blocks_format
        invalid_json invalid_metadata_format invalid_metadata_schema invalid_post_type json_not_object
        metadata_must_be_sent_from_app metadata_too_large missing_post_type msg_blocks_too_long msg_too_long
        no_text too_many_attachments""".split(),
        _REPORT,
    ),
    "missing_scope": "add the scope under OAuth & Permissions and install the app again",
}
"""What no second try can heal, and the next step."""

MAY_HAVE_WORKED = frozenset("fatal_error internal_error request_timeout service_unavailable".split())
"""Slack says of these that some of the operation may have succeeded."""

TOO_FAST = frozenset("message_limit_exceeded rate_limited ratelimited".split())


@contextmanager
def translated(asked: ChannelId | str) -> Iterator[None]:
    """Every failure inside becomes a DeliveryError; `asked` is what Slack was given.

    Only an answer that says no is a no; whatever else goes wrong after the connection stands is unclear.
    """
    # A channel stands for a message to it.
    thing = asked if isinstance(asked, str) else f"a message for {str(asked)!r}"
    try:
        yield
    except DeliveryError:
        raise
    except SlackApiError as error:
        raise _refusal(error, thing) from error
    except ClientConnectorError as error:
        raise DeliveryError(f"Slack cannot be reached with {thing}: {error.strerror}") from error
    except TimeoutError as error:
        raise DeliveryError(f"Slack did not answer {thing} in time", unclear=True) from error
    except Exception as error:  # slack_sdk raises AttributeError and the like for an answer that is no object
        kind = type(error).__name__
        raise DeliveryError(f"Slack gave no usable answer to {thing}: {kind}", unclear=True) from error


def _refusal(error: SlackApiError, thing: str) -> DeliveryError:
    """The DeliveryError that says what Slack said."""
    code, status = error_code(error), _status(error)
    what = f"Slack refused {thing}: {code or f'HTTP {status}'}"
    if status == 429 or code in TOO_FAST:
        return DeliveryError(what, retry_after=retry_after(_header(error, "Retry-After")))
    if code in MENDING:
        return DeliveryError(
            what + _needed(error), permanent=True, everywhere=code in OF_THE_APP, hint=MENDING[code]
        )
    unclear = status >= 500 or code in MAY_HAVE_WORKED or (status == 200 and not code)
    return DeliveryError(what, unclear=unclear)


def error_code(error: SlackApiError) -> str:
    """What Slack calls it, "" where the answer does not say."""
    return _said(error, "error")


def retry_after(header: str) -> timedelta | None:
    """How long Slack asks to wait; None for a header that is missing or senseless."""
    return timedelta(seconds=int(header)) if header.isdecimal() and len(header) < 6 else None


def _needed(error: SlackApiError) -> str:
    """The scope that is missing, where Slack names it."""
    needed = _said(error, "needed")
    return f" ({needed})" if needed else ""


def _said(error: SlackApiError, name: str) -> str:
    data = getattr(error.response, "data", None)
    value = data.get(name) if isinstance(data, dict) else None
    return value[:100] if isinstance(value, str) else ""


def _status(error: SlackApiError) -> int:
    # For an answer that is no JSON, slack_sdk attaches aiohttp's response in place of its own.
    response = error.response
    return int(getattr(response, "status_code", 0) or getattr(response, "status", 0))


def _header(error: SlackApiError, name: str) -> str:
    headers = getattr(error.response, "headers", None) or {}
    return next((str(value) for key, value in headers.items() if key.lower() == name.lower()), "")
