//! How much of what a quantity is, for those who calculate with it.

use super::super::lexicon::LEXICON;
use super::{Quantity, QuantityKind, Role, Unit};

/// An amount in the base unit of what it is an amount of.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// How much; days of a time, and the part of one of a share.
    pub value: f64,
    /// How much one of its units is.
    pub unit: f64,
    /// Of what.
    pub of: AmountOf,
}

/// What an amount is an amount of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AmountOf {
    /// Nothing is said.
    Bare,
    /// What is counted, by its stem.
    Count(Box<str>),
    /// A part of a whole.
    Share,
    /// A time.
    Time,
    /// A measure, by its number.
    Measure(u16),
}

const DAYS_OF_MONTH: f64 = 30.4375;

impl Quantity {
    /// The amounts it can mean; none for a date, a version or a name.
    pub fn amounts(&self) -> Vec<Amount> {
        let is_name = matches!(self.role, Role::Name | Role::Ordinal);
        let kinds = [&self.kind].into_iter().chain(&self.others);
        kinds
            .filter(|_| !is_name)
            .filter_map(QuantityKind::amount)
            .collect()
    }

    /// Its year, if it is a year or a date.
    pub const fn year(&self) -> Option<u16> {
        match self.kind {
            QuantityKind::Year(year) | QuantityKind::Date { year, .. } => Some(year),
            _ => None,
        }
    }
}

impl QuantityKind {
    fn amount(&self) -> Option<Amount> {
        let Self::Number { value, unit } = self else {
            return None;
        };
        let (factor, of) = match unit.measure() {
            Some(measure) => {
                let is_of = |word| LEXICON.word(word).and_then(|entry| entry.unit);
                let factor = ratio(measure.num, measure.den)?;
                let day = is_of("day");
                if measure.id == LEXICON.percent.id {
                    (factor / 100.0, AmountOf::Share)
                } else if is_of("month").is_some_and(|month| month.id == measure.id) {
                    (factor * DAYS_OF_MONTH, AmountOf::Time)
                } else if let Some(day) = day.filter(|day| day.id == measure.id) {
                    (factor / ratio(day.num, day.den)?, AmountOf::Time)
                } else {
                    (factor, AmountOf::Measure(measure.id))
                }
            }
            None => match unit {
                Unit::Count(noun) => (1.0, AmountOf::Count(noun.clone())),
                _ => (1.0, AmountOf::Bare),
            },
        };
        Some(Amount {
            value: value.float()? * factor,
            unit: factor,
            of,
        })
    }
}

fn ratio(num: i128, den: i128) -> Option<f64> {
    let float = |number: i128| number.to_string().parse::<f64>().ok();
    Some(float(num)? / float(den)?)
}

#[cfg(test)]
mod tests {
    use super::super::quantities;
    use super::*;

    #[test]
    fn an_amount_is_given_in_the_base_unit() {
        for (text, value, of) in [
            ("12 doors", 12.0, AmountOf::Count("door".into())),
            ("1,200", 1200.0, AmountOf::Bare),
            ("61 %", 0.61, AmountOf::Share),
            ("Two thirds of it", 2.0 / 3.0, AmountOf::Share),
            ("2 weeks", 14.0, AmountOf::Time),
            ("4 years", 1461.0, AmountOf::Time),
        ] {
            let found = quantities(text);
            let amount = found
                .first()
                .and_then(|one| one.amounts().into_iter().next());
            let amount = amount.unwrap();
            assert!((amount.value - value).abs() < 1e-9, "{text}: {amount:?}");
            assert_eq!(amount.of, of, "{text}");
        }
        let pounds = quantities("53 pounds").first().map(Quantity::amounts);
        assert_eq!(pounds.unwrap().len(), 2);
        assert!(
            quantities("3 May 2021")
                .first()
                .unwrap()
                .amounts()
                .is_empty()
        );
    }
}
