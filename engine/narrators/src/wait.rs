//! How long to wait before asking an overloaded endpoint again.

use core::time::Duration;
use std::time::SystemTime;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// An endpoint that asks for more patience than this is asked in the next run.
pub(crate) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);

/// Doubles with each attempt, and is spread over its upper half so that requests that failed together do not come
/// back together. `attempt` counts from 0; `spread` is between 0 and 1.
pub(crate) fn backoff(attempt: u32, spread: f64) -> Duration {
    let full = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST_WAIT);
    full.mul_f64(0.5 + spread.clamp(0.0, 1.0) / 2.0)
}

/// What a `Retry-After` header asks for: seconds or a date (RFC 9110, 10.2.3); none for anything else.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    match header.trim().parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let date = httpdate::parse_http_date(header.trim()).ok()?;
            Some(date.duration_since(now).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_half_a_minute() {
        let millis = |attempt, spread| backoff(attempt, spread).as_millis();
        assert_eq!([millis(0, 0.0), millis(0, 1.0)], [250, 500]);
        assert_eq!([millis(3, 0.0), millis(3, 1.0)], [2_000, 4_000]);
        assert_eq!([millis(40, 0.0), millis(40, 1.0)], [15_000, 30_000]);
    }

    #[test]
    fn both_forms_of_the_header_are_understood() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after(" 7 ", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:07 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
    }
}
