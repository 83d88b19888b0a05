use bitcoin::Amount;

/// Blocks on top of a coinbase, itself included, before it can be spent.
pub const COINBASE_MATURITY: u32 = 100;

/// Blocks between two halvings of the subsidy on regtest.
const HALVING_BLOCKS: u32 = 150;
const FIRST_SUBSIDY_SAT: u64 = 50_0000_0000;
/// 14 November 2023, 22:13:20 UTC: later than every timestamp that Lightning software takes for nonsense.
const GENESIS_CLOCK_SECS: u32 = 1_700_000_000;
const BLOCK_SECS: u32 = 600;

/// The logical time of a block, in seconds since 1970: ten minutes a block from a fixed start.
#[must_use]
pub const fn clock(height: u32) -> u32 {
    GENESIS_CLOCK_SECS + height * BLOCK_SECS
}

/// New coins in the block of this height.
#[must_use]
pub const fn subsidy(height: u32) -> Amount {
    let halvings = height / HALVING_BLOCKS;
    Amount::from_sat(if halvings < 64 { FIRST_SUBSIDY_SAT >> halvings } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subsidy_halves_every_150_blocks_and_ends() {
        let at = |height| subsidy(height).to_sat();

        assert_eq!(
            [at(1), at(149), at(150), at(300), at(20_000)],
            [50_0000_0000, 50_0000_0000, 25_0000_0000, 12_5000_0000, 0]
        );
    }
}
