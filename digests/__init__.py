"""The core of Paperround: what to send, to whom, when, in which words; it performs no input or output.

One word per thing, in code, tables, commands and documents:

    feed          a source of papers that an admin registered: an address, a format and a polling state
    list          a feed that is fixed (a conference): it drips its best papers a day until it is done
    entry         one item as a feed's format gives it, before it is a paper
    paper         one work, under one identity, with all its identifiers, links and versions
    sighting      a paper was seen in a feed, at a time, in a way (new, cross-list, replacement)
    channel       a place where digests go: platform, workspace, channel
    subscription  a standing query of a channel, with a name, a cadence and a limit
    query         what a subscription asks, in the language of `query`
    turn          an edition in which a subscription takes part, as its cadence says
    match         a subscription, a paper, a score and the evidence
    summary       sentences of the abstract, chosen
    heading       the title, or for a paper without one the name that it introduces
    digest        the platform-neutral document: sections, items, foot
    edition       the digest of one channel for one local date
    message       a part of a digest as one platform takes it
    delivery      a message on its way: claimed, sent, receipt
    receipt       what the platform answered: the id of the posted message
    command       what a person asks for: a verb with its options
    reply         what is answered to that person, without any mark-up
    change        what a person's command changed: who, when, before, after

The flow:

    feed is due → fetch → parse → entries → papers → dedupe → store              (job: refresh)
    channel is due → match → rank, select → summarise → digest → outbox          (job: compose)
    claim → send → receipt → settle                                              (job: deliver)

Inside, imports go one way: words ← things ← decisions ← ports ← jobs, and what answers commands; the table in
tests/test_architecture.py says which module lies where.
"""
