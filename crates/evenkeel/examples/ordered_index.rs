//! An ordered index beside a table, kept in step by transactions, scanned in both directions.
//!
//! `cargo run --example ordered_index`

use evenkeel::{Database, Direction, Error, KeyRange, Options, Transaction, TreeId, TxnOptions};

/// People by number, and an index from (city, number) to nothing: the key says it all.
struct People {
    rows: TreeId,
    by_city: TreeId,
}

impl People {
    fn insert(&self, txn: &mut Transaction, number: u32, name: &str, city: &str) -> evenkeel::Result<()> {
        txn.insert(self.rows, &number.to_be_bytes(), format!("{name}\t{city}").as_bytes())?;
        // The separator keeps "Bonn" apart from "Bonnie"; big-endian numbers sort as numbers.
        txn.insert(self.by_city, &[city.as_bytes(), &[0], &number.to_be_bytes()].concat(), &[])
    }

    fn in_city(
        &self,
        txn: &mut Transaction,
        city: &str,
        direction: Direction,
    ) -> evenkeel::Result<Vec<String>> {
        let mut names = Vec::new();
        let range = KeyRange::prefix(&[city.as_bytes(), &[0]].concat());
        let mut cursor = txn.cursor(self.by_city, range, direction)?;
        while let Some((key, _)) = cursor.next(txn)? {
            let number = key[key.len() - 4..].to_vec();
            let row =
                txn.get(self.rows, &number)?.expect("index and rows are written by the same transactions");
            let row = String::from_utf8_lossy(&row).into_owned();
            names.push(row.split('\t').next().unwrap_or_default().to_owned());
        }
        Ok(names)
    }
}

fn main() -> evenkeel::Result<()> {
    let dir = tempfile::tempdir().map_err(|e| Error::InvalidArgument(e.to_string()))?;
    let db = Database::open(dir.path(), Options::default())?;

    let mut txn = db.begin(TxnOptions::default());
    let people = People { rows: txn.create_tree()?, by_city: txn.create_tree()? };
    for (number, name, city) in
        [(3, "Ada", "London"), (1, "Edgar", "San Jose"), (2, "Grace", "London"), (4, "Pat", "San Jose")]
    {
        people.insert(&mut txn, number, name, city)?;
    }
    txn.commit()?;

    let mut txn = db.begin(TxnOptions::default());
    println!("London, forward:  {:?}", people.in_city(&mut txn, "London", Direction::Forward)?);
    println!("London, backward: {:?}", people.in_city(&mut txn, "London", Direction::Backward)?);

    // A failed statement leaves nothing behind: the row exists already, so neither tree changes.
    let sp = txn.savepoint();
    if let Err(e) = people.insert(&mut txn, 3, "Imposter", "London") {
        println!("inserting number 3 again: {e}");
        txn.rollback_to(sp)?;
    }
    txn.rollback()?;
    db.close()
}
