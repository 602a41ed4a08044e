//! Dictionaries in LIWC's format (.dic): categories by number between two lines of a percent sign, then an entry a line
//! with the numbers of its categories (Pennebaker, Booth and Francis 2007, "Linguistic Inquiry and Word Count: LIWC2007
//! operator's manual"). A star at an entry's end stands for any ending; entries of more words are phrases. Entries of
//! 2007 that depend on a neighbour, as in `like (02 134)125/464` and `kind <of>131/125`, have what holds without it:
//! the number after the stroke.

use std::collections::HashMap;

use super::category::{Category, Set};
use super::lexicon::{LONGEST_PHRASE, Lexicon};

pub(super) fn read(text: &str) -> Result<Lexicon, (usize, String)> {
    let mut lines = text.lines().zip(1..).map(|(line, number)| (number, line.trim())).filter(|(_, l)| !l.is_empty());
    match lines.next() {
        Some((_, "%")) => {}
        Some((number, line)) => return Err((number, format!("{line:?} where a line of % begins the categories"))),
        None => return Err((0, "nothing is in it".into())),
    }
    let mut categories: HashMap<u32, Option<Category>> = HashMap::new();
    loop {
        let Some((number, line)) = lines.next() else { return Err((0, "no line of % ends the categories".into())) };
        if line == "%" {
            break;
        }
        let (id, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let id = id.parse().map_err(|_| (number, format!("category {line:?} has no number")))?;
        // LIWC2015: "1 function (Function Words)".
        let name = name.split_whitespace().next().unwrap_or_default().to_lowercase();
        if name.is_empty() {
            return Err((number, format!("category {id} has no name")));
        }
        let known = Category::ALL.into_iter().find(|c| c.liwc_names().contains(&name.as_str()));
        if categories.insert(id, known).is_some() {
            return Err((number, format!("category {id} stands there twice")));
        }
    }
    let mut lexicon = Lexicon::default();
    for (number, line) in lines {
        let (entry, ids) = split(line);
        if entry.is_empty() || ids.is_empty() {
            return Err((number, format!("{line:?} is no word with numbers of categories")));
        }
        if entry.split(' ').count() > LONGEST_PHRASE {
            continue;
        }
        let mut set = Set::default();
        for id in ids {
            match categories.get(&id) {
                Some(category) => set = category.map_or(set, |c| set.with(Set::of(c))),
                None => return Err((number, format!("{entry:?} is of category {id}, which is not declared"))),
            }
        }
        if set != Set::default() {
            lexicon.add(&entry, set);
        }
    }
    if lexicon.is_empty() {
        let wanted: Vec<&str> = Category::ALL.iter().flat_map(|c| c.liwc_names()).copied().collect();
        return Err((0, format!("no word is of a category that is used here: {}", wanted.join(", "))));
    }
    Ok(lexicon)
}

/// An entry and its numbers: those behind the last thing that is none.
fn split(line: &str) -> (String, Vec<u32>) {
    // What stands between brackets asks for a neighbour.
    let mut open = 0;
    let mut bare = String::with_capacity(line.len());
    let tabbed = line.split_once('\t');
    let (head, tail) = tabbed.unwrap_or(("", line));
    for c in tail.chars() {
        match c {
            '(' | '<' => open += 1,
            ')' | '>' => open -= 1,
            c if open <= 0 => bare.push(c),
            _ => {}
        }
    }
    let parts: Vec<&str> = bare.split_whitespace().collect();
    let number = |part: &str| part.rsplit('/').next()?.parse::<u32>().ok();
    let first = parts.iter().rposition(|p| number(p).is_none()).map_or(0, |at| at + 1);
    let words: Vec<&str> = head.split_whitespace().chain(parts[..first].iter().copied()).collect();
    (words.join(" "), parts[first..].iter().filter_map(|p| number(p)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "%\n1\tfunction (Function Words)\n  4\ti (I)\n5 we\n19\tnegate\n60\tcogmech\n125 \
        tentat\n464\taffect\n%\nich\t1 4\nwir\t1\t5\nnicht* 19\nkind of\t125\nlike\t(02 134)464/125 \
        60\nkind\t<of>464/125\nhaus\t60\n";

    #[test]
    fn entries_have_the_categories_that_are_used_here() {
        let lexicon = Lexicon::of_liwc(SMALL).unwrap();
        assert!(lexicon.word("ich").has(Category::I) && lexicon.word("wir").has(Category::We));
        assert!(lexicon.word("nichts").has(Category::Negations) && lexicon.word("haus") == Set::default());
        assert!(lexicon.phrase("kind of").has(Category::Hedges));
        assert!(lexicon.word("like").has(Category::Hedges) && lexicon.word("kind").has(Category::Hedges));
        assert!(lexicon.known.has(Category::I) && !lexicon.known.has(Category::They));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let fail = |text: &str| Lexicon::of_liwc(text).unwrap_err();
        assert_eq!(fail("").0, 0);
        assert_eq!(fail("word\t1\n").0, 1);
        assert!(fail("%\n1\ti\n").1.contains("ends the categories"));
        assert_eq!(fail("%\nI\tfirst\n%\n").0, 2);
        assert_eq!(fail("%\n1\ti\n1\twe\n%\n").0, 3);
        assert_eq!(fail("%\n1\ti\n%\nich\t1\nwir\t2\n").0, 5);
        assert_eq!(fail("%\n1\ti\n%\nich\n").0, 4);
        assert!(fail("%\n1\thouse\n%\nhaus\t1\n").1.contains("negate"));
    }
}
