//! Spelling: a word one slip away from a word of the domain is that word.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Kind, Token};

static TARGET_LIST: LazyLock<Vec<&str>> = LazyLock::new(|| TARGETS.split_whitespace().collect());

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| TARGETS.split_whitespace().chain(COMMON.split_whitespace()).collect());

/// Corrects unknown words of four letters or more. Units of money are never a correction, nor ever corrected.
pub(super) fn correct(tokens: &mut [Token]) {
    for token in tokens {
        if let Kind::Word(word) = &mut token.kind
            && let Some(better) = correction(word)
        {
            better.clone_into(word);
        }
    }
}

fn correction(word: &str) -> Option<&'static str> {
    let length = word.len();
    if !(4..=24).contains(&length) || !word.is_ascii() || known(word) {
        return None;
    }
    let mut found = TARGET_LIST.iter().copied().filter(|target| {
        target.len().abs_diff(length) <= 1
            && (target.as_bytes()[0] == word.as_bytes()[0] || swapped_start(word, target))
            && one_slip(word.as_bytes(), target.as_bytes())
    });
    let first = found.next()?;
    // Two candidates: prefer none over a guess, unless they differ only in number.
    found.all(|other| other.trim_end_matches('s') == first.trim_end_matches('s')).then_some(first)
}

fn known(word: &str) -> bool {
    KNOWN.contains(word) || word.contains("sat") && word.len() <= 5
}

fn swapped_start(word: &str, target: &str) -> bool {
    let (a, b) = (word.as_bytes(), target.as_bytes());
    a[0] == b[1] && a[1] == b[0]
}

/// One letter missing, added, changed, or two neighbours swapped.
fn one_slip(a: &[u8], b: &[u8]) -> bool {
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    match (a.len(), b.len()) {
        (x, y) if x == y => {
            a.get(1..) == b.get(1..) || x >= 2 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..]
        }
        (x, y) if x == y + 1 => a[1..] == *b,
        (x, y) if x + 1 == y => *a == b[1..],
        _ => false,
    }
}

/// What a slip may have meant.
const TARGETS: &str = "\
    address addresses balance balances bitcoin block blockchain blocks capacity chain channel channels \
    close confirmations connect connected create current decode delete deposit describe description \
    disconnect estimate every explain feerate feerates fewer forward forwarded forwards fresh funds \
    health height history invoice invoices keysend label labelled lightning machine machines mempool \
    message mining network node nodes offer offers open payment payments peer peers pubkey reachable \
    rebalance receive received recent recently restart running send shared show sign start status stop \
    succeed suppose transaction transactions transfer unique unless unpaid version wallet what which \
    withdraw would between lessthan does have list mine from then hypothetically expired afterwards \
    currently please pending";

/// Words that are right as they are, though a word of the domain is near.
const COMMON: &str = "\
    note notes mode modes code host hosts cost costs shop step steps stock black clock flock chair \
    chains bitcoind opens opened opening withdrew withdrawn sends sent sign signs signed signing shows shown shot slow snow closed \
    closes closing created creates creating started starts starting state stops stopped store story stay \
    stat stats start fund funded funding find fine line nine mined mines miner mind mint time form front \
    forum them they than this that these there when were where wait want watch with while white whole \
    half hand hard has haves love live life last lost lists listed less least lease done dose doer goes \
    shoes prefer over even ever very never offline peered pear deer beer here labels table pays paid \
    play payed payer payee connection connections connects connecting could should world words work wood \
    healthy weight eight right hello help invoiced networks wallets restarts restarted restore receives \
    recent resent deposits decoded deleted fresh flesh messages versions estimated estimates open pen \
    bend spend second seconds like look link long also give given five make made more most much many \
    need next once only onto other please same side some still such take tell thank think turn under \
    until upon used uses using well whom whose will your shut back bring down both been being between \
    coins coin wish width which rich dear hear peers seed feed bolt boot fails fail failed move none \
    nope size sized prize price prices sell seller receiver sender sharing share shares sharp wrong \
    month north fewest newer forwarding supposed changed change changes charge cancel channeled offered \
    loop shout lend lens text test best rest except wallet walk talk chat hate date data rate rates late \
    later gate fate mate delay relay explains explained excellent message massage passage ones bones \
    ride";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_corrected() {
        for (slip, meant) in [
            ("waht", "what"),
            ("blokc", "block"),
            ("hieght", "height"),
            ("shwo", "show"),
            ("chanels", "channels"),
            ("chanel", "channel"),
            ("invoce", "invoice"),
            ("onde", "node"),
            ("opne", "open"),
            ("mempol", "mempool"),
            ("restrat", "restart"),
        ] {
            assert_eq!(correction(slip), Some(meant), "{slip}");
        }
    }

    #[test]
    fn good_words_and_units_are_left_alone() {
        for word in [
            "note", "mode", "paid", "sats", "msat", "mast", "stas", "pay", "lisbon", "coffee", "chain",
            "fund",
        ] {
            assert_eq!(correction(word), None, "{word}");
        }
    }
}
