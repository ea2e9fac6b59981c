"""The door: how the control plane talks to a host over one SSH session, on the standard streams of ``agent.pyz door``.

Both sides send frames: 4 bytes ``TWD1``, two lengths (unsigned 32 bit, network order), a JSON object, raw bytes. What a
login shell prints first is passed over: the host's side begins with :data:`GREETING` and then speaks frames only.

    asked    {"n": 7, "op": "hear", …}  + body           answered  {"n": 7, "ok": {…}}  + body
                                                                  or {"n": 7, "fault": {"kind", "words", "data"}}

Answers come in any order: a long operation holds up no other. Every operation may be repeated; one whose answer was
lost is asked again, or looked for. Instants are seconds since the epoch by the host's clock. ``id`` of an instance is
its folder's name, ``machine-TOKEN``; its folder is ``ROOT/instances/ID``, the agent's root ``ROOT/instances/ID/node``.

Machines (kinds of fault: ``capacity`` with ``words`` naming who uses it, ``conflict``, ``invalid``, ``unavailable``)::

    hello      {}                       {version, python, pid, user, uid, home, root, boot, now}
    facts      {}                       what ``machines check`` tells of: see ``agent.door.facts``
    gpus       {}                       {gpus: [{index, uuid, name, memory_gib, used_by: [{pid, user, command,
                                        memory_gib}], held_by: {pid, user} | null}], driver, how: nvml | nvidia-smi |
                                        none, unknown: null | why}   ``used_by`` null: nobody can tell who uses it
    take       {order, gpus, allowed}   {instance}    ``order``: token, lease, owner, tags, instance_type, region, zone,
                                        purchase, hard_end; ``allowed``: indices of GPUs, null: any
    instances  {ids | null}             {instances: [{id, token, lease, owner, tags, instance_type, region, zone,
                                        purchase, state, why, address, pgid, launched_at, ended_at, reclaim_at, gpus}]}
    reclaim    {id, deadline, cause}    {}
    end        {ids}                    {}            kills what is theirs, then takes their folders away
    leftovers  {ids | null}             {leftovers: [{kind, id, lease}]}
    remove     {}                       {removed: [path]}   ends all of ours, takes ROOT away; the door closes
    authorize  {key, on}                {changed, path}     lets a public key log in, or no longer
    host-key   {step: new | use}        {key}         see ``agent.door.host_key``

Work and files (besides: ``no-space`` disk full, ``gone`` the instance or file is not there, ``busy`` another spec)::

    have       {blobs: [[sha256, bytes]]}     {missing: [[sha256, bytes present]]}
    blobs      {items: [[sha256, bytes]]}     {}          body: small blobs, one after the other
    part       {sha256, offset, bytes}        {present}   body: the part of a large one from ``offset`` on
    start      {id, spec, secrets, names}     {state: serving | served}    body: the work's manifest (see
                                              ``nodes.archive``); ``names``: {agent, library}: [sha256, bytes] each
    revive     {id, secrets}                  {state}
    hear       {id, journal, log, limit}      {alive, journal: bytes}   body: journal, then log
    command    {id, name, text}               {}
    outputs    {id}                           {manifest | null}
    stat       {id, path}                     {bytes | null, part}       ``part``: how much of what is put there came
    read       {id, ranges: [[path, offset, limit]]}  {files: [{read, runs}]}  body: the ranges, one after the other;
                                              ``path`` is relative to the instance's folder, ``runs``: it may be run
    pin        {id, path | null}              {path, manifest}  a checkpoint gets a second name, one at a time, so that
                                              it can be read though the agent drops it; null: it is not read any more
    put        {id, path, offset, bytes}      {present}   body: a part; whole when ``present`` is ``bytes``
    put-done   {id, path, crc32}              {}          the parts get their name
    shell      {id}                           {argv}      a command line that opens a shell where the job works
"""

from __future__ import annotations

import json
import struct
from typing import Any, Dict, Tuple

VERSION = 1
GREETING = b"\x00TRADEWIND-DOOR-1\x00\n"
MAGIC = b"TWD1"
_HEAD = struct.Struct(">4sII")
HEAD_BYTES = _HEAD.size
MOST_JSON, MOST_BODY = 64 << 20, 64 << 20
CHUNK = 1 << 20  # bytes in one part of something large

Header = Dict[str, Any]


class Garbled(ValueError):
    """What came is no frame: the stream cannot be read on."""


def frame(header: Header, body: bytes = b"") -> bytes:
    """One frame."""
    text = json.dumps(header, separators=(",", ":")).encode()
    return _HEAD.pack(MAGIC, len(text), len(body)) + text + body


def read_head(head: bytes) -> Tuple[int, int]:
    """Lengths of the JSON text and of the body that follow.

    Raises:
        Garbled: this is no frame's beginning.
    """
    magic, text, body = _HEAD.unpack(head)
    if magic != MAGIC or text > MOST_JSON or body > MOST_BODY:
        raise Garbled("not a frame: {!r}".format(head))
    return text, body


def read_header(text: bytes) -> Header:
    """The JSON object of a frame.

    Raises:
        Garbled: it is none.
    """
    try:
        value = json.loads(text)
    except ValueError:
        raise Garbled("not a header: {!r}".format(text[:80])) from None
    if not isinstance(value, dict):
        raise Garbled("not a header: {!r}".format(text[:80]))
    return value
