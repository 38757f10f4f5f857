//! Times of members as `details.member` gives them.

/// A time as ISO 8601, to the second, from seconds since 1970 in UTC; `None` far outside the calendar.
pub(crate) fn utc(seconds: i64) -> Option<String> {
    let days = seconds.div_euclid(86_400);
    let second = seconds.rem_euclid(86_400);
    if !(-719_162..=2_932_896).contains(&days) {
        return None;
    }
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// A date and time as DOS writes them, which is local to nobody knows where; `None` for none.
pub(crate) fn dos(date: u16, time: u16) -> Option<String> {
    let (year, month, day) = (1980 + (date >> 9), date >> 5 & 0xF, date & 0x1F);
    let (hour, minute, second) = (time >> 11, time >> 5 & 0x3F, (time & 0x1F) * 2);
    ((1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

/// Year, month and day of a day since 1970, in the Gregorian calendar (Howard Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed() {
        // `date -u -d @1709210096 +%FT%TZ`
        assert_eq!(utc(1_709_210_096).as_deref(), Some("2024-02-29T12:34:56Z"));
        assert_eq!(utc(-1).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(utc(i64::MAX), None);
        assert_eq!(dos(0x585D, 0x645C).as_deref(), Some("2024-02-29T12:34:56"));
        assert_eq!(dos(0, 0), None);
    }
}
