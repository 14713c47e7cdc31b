"""Draws Slack messages as a web page, near enough to Slack to judge how a digest looks.

`python -m tests.blockkit_html tests/data/golden/slack/long.json > long.html`
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

Block = dict[str, Any]

# Sizes and colours as Slack's own client has them: 15/22 px text, 12/18 px grey context, 8 px between blocks.
STYLE = """
body { margin: 0; padding: 16px 20px; background: #fff; color: #1d1c1d; max-width: 680px;
       font: 15px/22px Lato, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
.message { display: flex; gap: 8px; margin-bottom: 16px; }
.reply { margin-left: 44px; }
.icon { flex: none; width: 36px; height: 36px; border-radius: 8px; background: #2f5d50; color: #fff;
        font: bold 18px/36px serif; text-align: center; }
.from { font-weight: 900; } .from small { font-weight: 400; color: #616061; }
.header { font-size: 18px; line-height: 24px; font-weight: 900; margin: 8px 0 4px; }
.rich_text { margin: 4px 0; } .section { margin: 4px 0; }
.context { margin: 2px 0 8px; font-size: 12px; line-height: 18px; color: #616061; }
.divider { border: 0; border-top: 1px solid #ddd; margin: 12px 0; }
.actions { margin: 8px 0; display: flex; flex-wrap: wrap; gap: 8px; }
button { font: inherit; font-size: 13px; font-weight: 700; padding: 0 12px; height: 28px; background: #fff;
         border: 1px solid #bbb; border-radius: 6px; }
button.danger { color: #e01e5a; border-color: #e01e5a; }
code { font-size: 12px; color: #c01343; background: #f8f8f8; border: 1px solid #ddd; border-radius: 3px;
       padding: 2px 3px 1px; }
pre { font-size: 12px; line-height: 18px; margin: 4px 0; padding: 8px; background: #f8f8f8;
      border: 1px solid #ddd; border-radius: 4px; }
ul { margin: 0; padding-left: 26px; }
a { color: #1264a3; text-decoration: none; }
pre, .pre { white-space: pre-wrap; }
"""


def to_html(messages: list[Block]) -> str:
    """A page that shows the first message as a post and the others as replies in its thread."""
    drawn = "".join(_message(message, reply=index > 0) for index, message in enumerate(messages))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"<!doctype html><html><head>{head}<style>{STYLE}</style></head><body>{drawn}</body></html>"


def _message(message: Block, *, reply: bool) -> str:
    blocks = "".join(map(_block, message["blocks"]))
    name = '<div class="from">Paperround <small>APP 9:00 AM</small></div>'
    kind = "message reply" if reply else "message"
    return f'<div class="{kind}"><div class="icon">P</div><div>{name}{blocks}</div></div>'


def _block(block: Block) -> str:
    match block["type"]:
        case "divider":
            return '<hr class="divider">'
        case "header":
            return f'<div class="header">{escape(block["text"]["text"])}</div>'
        case "context":
            pieces = " ".join(escape(element["text"]) for element in block["elements"])
            return f'<div class="context pre">{pieces}</div>'
        case "rich_text":
            return f'<div class="rich_text">{"".join(map(_section, block["elements"]))}</div>'
        case "actions":
            return f'<div class="actions">{"".join(map(_button, block["elements"]))}</div>'
    raise ValueError(f"no picture of a block of type {block['type']!r}")


def _section(section: Block) -> str:
    if section["type"] == "rich_text_list":
        return f"<ul>{''.join(f'<li>{_inner(point)}</li>' for point in section['elements'])}</ul>"
    if section["type"] == "rich_text_preformatted":
        return f"<pre>{_inner(section)}</pre>"
    return f'<div class="pre">{_inner(section)}</div>'


def _inner(section: Block) -> str:
    return "".join(map(_element, section["elements"]))


def _element(element: Block) -> str:
    text = escape(element["text"])
    style = element.get("style", {})
    if element["type"] == "link":
        text = f'<a href="{escape(element["url"])}">{text}</a>'
    if style.get("code"):
        text = f"<code>{text}</code>"
    if style.get("italic"):
        text = f"<i>{text}</i>"
    return f"<b>{text}</b>" if style.get("bold") else text


def _button(button: Block) -> str:
    return f'<button class="{button.get("style", "")}">{escape(button["text"]["text"])}</button>'


if __name__ == "__main__":
    print(to_html(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
