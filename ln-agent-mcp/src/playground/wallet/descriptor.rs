/// Characters of descriptors; a character's place tells its value (BIP380).
const INPUT: &str =
    "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
const CHECKSUM: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR: [u64; 5] =
    [0x00f5_dee5_1989, 0x00a9_fdca_3312, 0x001b_ab10_e32d, 0x0037_06b1_677a, 0x0064_4d62_6ffd];

/// A descriptor with `#` and its checksum (BIP380) behind it.
///
/// # Examples
///
/// ```
/// use ln_agent_mcp::playground::wallet::with_checksum;
///
/// let address = with_checksum("addr(mp1uWZVJGDaGgJfJjzHjzkmnWkAQZ1rj2Z)");
/// assert_eq!(address, "addr(mp1uWZVJGDaGgJfJjzHjzkmnWkAQZ1rj2Z)#wgkp4mw3");
/// ```
#[must_use]
pub fn with_checksum(descriptor: &str) -> String {
    let mut sum = 1;
    let (mut class, mut count) = (0, 0);
    for value in descriptor.chars().filter_map(|letter| INPUT.find(letter)) {
        sum = step(sum, value as u64 & 31);
        class = class * 3 + (value as u64 >> 5);
        count += 1;
        if count == 3 {
            sum = step(sum, class);
            (class, count) = (0, 0);
        }
    }
    if count > 0 {
        sum = step(sum, class);
    }
    let sum = (0..8).fold(sum, |sum, _| step(sum, 0)) ^ 1;
    let letters = (0..8).map(|n| char::from(CHECKSUM[(sum >> (5 * (7 - n))) as usize & 31]));
    format!("{descriptor}#{}", letters.collect::<String>())
}

fn step(sum: u64, value: u64) -> u64 {
    let top = sum >> 35;
    let base = ((sum & 0x0007_ffff_ffff) << 5) ^ value;
    GENERATOR
        .iter()
        .enumerate()
        .filter(|(bit, _)| top >> bit & 1 == 1)
        .fold(base, |sum, (_, word)| sum ^ word)
}
