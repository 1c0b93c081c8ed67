"""Asks internal resolvers whether they have a hostname. Read-only; what cannot be asked is not answered."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import dns.exception
import dns.flags
import dns.resolver

from edge_dns.core.addresses import Address, classify, is_private_use, parse_address
from edge_dns.core.authority import Question, ResolverAnswer
from edge_dns.core.errors import ObservationFailed
from edge_dns.core.live import normal_value
from edge_dns.observe.dns_answers import Resolver, resolver

ASK_SECONDS = 5.0
_AT_ONCE = 8


def ask_resolvers(asked: Iterable[Question], *, seconds: float = ASK_SECONDS) -> dict[Question, ResolverAnswer]:
    """Return the answer to each question, resolvers side by side, each name within so many seconds.

    An answer counts when it has an address that a host can have, and the resolver either has authority or gives
    an address that no public zone holds: a resolver that forwards would else only repeat the public record that is to
    go.
    """
    groups = [(at, [name for _, name in group]) for at, group in groupby(sorted(asked), key=lambda one: one[0])]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        told = pool.map(lambda group: _ask(group[0], group[1], seconds), groups)
    return {(at, name): answer for (at, _), answers in zip(groups, told, strict=True) for name, answer in answers}


def _ask(at: str, names: Sequence[str], seconds: float) -> list[tuple[str, ResolverAnswer]]:
    try:
        by = resolver(at)
    except ObservationFailed as failed:
        return [(name, ResolverAnswer(counts=False, told=str(failed))) for name in names]
    by.lifetime = seconds
    answers: list[tuple[str, ResolverAnswer]] = []
    for name in names:
        try:
            answers.append((name, _answer(by, name)))
        except dns.exception.Timeout:
            # It will not answer the others either, and each would cost the whole time again.
            silent = ResolverAnswer(counts=False, told="it does not answer in time")
            return [*answers, *((name, silent) for name in names[len(answers) :])]
    return answers


def _answer(by: Resolver, name: str) -> ResolverAnswer:
    told = "no address"
    for kind in ("A", "AAAA"):
        try:
            answer = by.resolve(name, kind, search=False, raise_on_no_answer=False)
        except dns.resolver.NXDOMAIN:
            return ResolverAnswer(counts=False, told="NXDOMAIN")
        except dns.exception.Timeout:
            raise
        except (dns.exception.DNSException, OSError) as error:
            return ResolverAnswer(counts=False, told=" ".join(str(error).split()))
        if answer.rrset:
            values = sorted(normal_value(kind, one.to_text()) for one in answer.rrset)
            told = f"{kind} {' '.join(values)}"
            usable = [address for address in map(parse_address, values) if _is_of_a_host(address)]
            authority = bool(answer.response.flags & dns.flags.AA)
            if usable and (authority or any(map(is_private_use, usable))):
                return ResolverAnswer(counts=True, told=told)
            told += (
                ", without authority: perhaps only what the public zone says"
                if usable
                else ", which no host has: perhaps it blocks the name"
            )
    return ResolverAnswer(counts=False, told=told)


def _is_of_a_host(address: Address) -> bool:
    """Blocking resolvers answer with 0.0.0.0, :: or 127.0.0.1, also with authority."""
    return classify(address).scope != "private" or is_private_use(address)
