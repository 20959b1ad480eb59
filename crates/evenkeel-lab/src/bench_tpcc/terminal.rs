//! A terminal: a connection that runs the five transactions one after another.
//!
//! Invariants
//! 1. Rows are locked in one order, so that no two transactions wait for each other: warehouse, district, stock by warehouse and item, customer; a delivery takes
//!    its districts in ascending order. What fails nevertheless as a deadlock or by serialization is run again, with the same input, and counted.
//! 2. A transaction counts once its COMMIT is confirmed, or its ROLLBACK if it is one that is to be rolled back.
//!
//! It must not know which server it is.

use std::time::Duration;

use fastrand::Rng;

use super::random::{self, DISTRICTS, ITEMS, hundredths, money};
use super::schema::SCHEMA;
use super::statements::{self, BEGIN, COMMIT, ROLLBACK, STATEMENTS};
use super::{KINDS, Kind, Options};
use crate::bench_checkpoints::{Error, server_error};
use evenkeel_client::{ConnString, Connection, Message, WireError};

const APPLICATION_NAME: &str = "evenkeel bench";
/// A transaction may take as long: a flooded disk stands still for minutes.
const SILENCE_MAX: Duration = Duration::from_secs(600);
/// Of a hundred new orders one is rolled back (2.4.1.4), and of a hundred supplies one comes from elsewhere (2.4.1.5).
const ROLLED_BACK_PERCENT: u32 = 1;
const REMOTE_SUPPLY_PERCENT: u32 = 1;
/// Of a hundred payments so many are of customers of other warehouses (2.5.1.2), and of customers who are asked for by name.
const REMOTE_PAYMENT_PERCENT: u32 = 15;
const BY_NAME_PERCENT: u32 = 60;
/// Stock of the last orders is looked at (2.8.2.2).
const ORDERS_LOOKED_AT: i64 = 20;
/// How often each kind is in the deck that a terminal draws from (5.2.4.2).
const DECK: [(Kind, usize); 5] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
];

/// A terminal.
pub struct Terminal {
    connection: Connection,
    name: String,
    rng: Rng,
    warehouse: u32,
    warehouses: u32,
    batches: bool,
    deck: Vec<Kind>,
}

/// Who is meant: the number, or the last name.
enum Who {
    Number(u32),
    Name(String),
}

type Rows = Vec<Vec<Option<String>>>;
type Result<T> = std::result::Result<T, WireError>;

impl Terminal {
    /// Connects and prepares.
    pub fn open(
        to: &ConnString,
        name: &str,
        options: &Options,
        seed: u64,
        warehouse: u32,
    ) -> std::result::Result<Terminal, Error> {
        let wrong = server_error(name);
        let mut connection = Connection::open(to, APPLICATION_NAME).map_err(&wrong)?;
        connection.query(&format!("SET search_path = {SCHEMA}")).map_err(&wrong)?;
        for (name, text) in STATEMENTS {
            prepare(&mut connection, name, text).map_err(&wrong)?;
        }
        for (name, text) in (1..=DISTRICTS).map(statements::stock) {
            prepare(&mut connection, &name, &text).map_err(&wrong)?;
        }
        connection.set_silence_max(SILENCE_MAX).map_err(|e| wrong(e.into()))?;
        let rng = Rng::with_seed(seed);
        let Options { warehouses, batches, .. } = *options;
        Ok(Terminal { connection, name: name.into(), rng, warehouse, warehouses, batches, deck: Vec::new() })
    }

    /// The kind that comes next.
    pub fn draw(&mut self) -> Kind {
        if self.deck.is_empty() {
            self.deck = DECK.iter().flat_map(|(kind, n)| std::iter::repeat_n(*kind, *n)).collect();
            self.rng.shuffle(&mut self.deck);
        }
        self.deck.pop().unwrap_or(KINDS[0])
    }

    /// How long somebody thinks after a transaction of this kind (5.2.5.4).
    pub fn thinking(&mut self, kind: Kind) -> Duration {
        let mean = kind.think_seconds();
        let chosen = -mean * (1.0 - self.rng.f64()).ln();
        Duration::from_secs_f64(chosen.min(10.0 * mean))
    }

    /// Runs one; says how often it was run again. Blocks.
    pub fn run(&mut self, kind: Kind) -> std::result::Result<u32, Error> {
        let input = self.rng.get_seed();
        let mut again = 0;
        loop {
            match self.attempt(kind) {
                Ok(()) => return Ok(again),
                Err(WireError::Server { code, .. }) if code == "40001" || code == "40P01" => {
                    again += 1;
                    self.execute(ROLLBACK, &[]).map_err(server_error(&self.name))?;
                    self.rng.seed(input);
                }
                Err(e) => return Err(server_error(&self.name)(e)),
            }
        }
    }

    fn attempt(&mut self, kind: Kind) -> Result<()> {
        match kind {
            Kind::NewOrder => self.new_order(),
            Kind::Payment => self.payment(),
            Kind::OrderStatus => self.order_status(),
            Kind::Delivery => self.delivery(),
            Kind::StockLevel => self.stock_level(),
        }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(1..=100) <= percent
    }

    fn district(&mut self) -> u32 {
        self.rng.u32(1..=DISTRICTS)
    }

    /// A warehouse other than the terminal's, if there is one.
    fn other_warehouse(&mut self) -> u32 {
        match self.rng.u32(1..self.warehouses.max(2)) {
            _ if self.warehouses == 1 => self.warehouse,
            n if n >= self.warehouse => n + 1,
            n => n,
        }
    }

    fn who(&mut self) -> Who {
        if self.chance(BY_NAME_PERCENT) {
            Who::Name(random::name_to_ask(&mut self.rng))
        } else {
            Who::Number(random::customer(&mut self.rng))
        }
    }

    fn new_order(&mut self) -> Result<()> {
        let (w, d, c) = (self.warehouse, self.district(), random::customer(&mut self.rng));
        let count = self.rng.u32(5..=15);
        let fails = self.chance(ROLLED_BACK_PERCENT);
        let mut lines = Vec::new();
        for _ in 0..count {
            let is_remote = self.chance(REMOTE_SUPPLY_PERCENT);
            let supply = if is_remote { self.other_warehouse() } else { w };
            lines.push((supply, random::item(&mut self.rng), self.rng.i64(1..=10)));
        }
        let all_local = lines.iter().all(|l| l.0 == w);
        lines.sort_unstable();
        if fails && let Some(last) = lines.last_mut() {
            last.1 = ITEMS + 1; // there is none
        }
        let stock = statements::stock_name(d);
        self.execute(BEGIN, &[])?;
        self.execute("no_customer", &[&w, &d, &c])?;
        let order = number(&self.execute("no_district", &[&w, &d])?, 0)?;
        self.execute("no_order", &[&w, &d, &order, &c, &count, &i32::from(all_local)])?;
        self.execute("no_new_order", &[&w, &d, &order])?;
        let of_items: Vec<[&dyn ToText; 1]> = lines.iter().map(|l| [&l.1 as &dyn ToText]).collect();
        let items = self.execute_each("no_item", &of_items)?;
        if items.len() < lines.len() {
            return self.execute(ROLLBACK, &[]).map(drop);
        }
        let remote: Vec<i32> = lines.iter().map(|l| i32::from(l.0 != w)).collect();
        let changes: Vec<[&dyn ToText; 4]> =
            lines.iter().zip(&remote).map(|(l, remote)| [&l.2 as &dyn ToText, remote, &l.0, &l.1]).collect();
        let of_stock = self.execute_each(&stock, &changes)?;
        let mut amounts = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            amounts.push((n + 1, hundredths(cents(&items[n..], 0)? * line.2), text(&of_stock[n..], 1)?));
        }
        let of_lines: Vec<[&dyn ToText; 9]> = lines
            .iter()
            .zip(&amounts)
            .map(|((supply, item, quantity), (n, amount, district))| {
                [&w as &dyn ToText, &d, &order, n, item, supply, quantity, amount, district]
            })
            .collect();
        self.execute_each("no_line", &of_lines)?;
        self.execute(COMMIT, &[]).map(drop)
    }

    fn payment(&mut self) -> Result<()> {
        let (w, d) = (self.warehouse, self.district());
        let is_remote = self.chance(REMOTE_PAYMENT_PERCENT);
        let (cw, cd) = if is_remote { (self.other_warehouse(), self.district()) } else { (w, d) };
        let (who, amount) = (self.who(), money(&mut self.rng, 100, 500_000));
        self.execute(BEGIN, &[])?;
        let warehouse = self.execute("p_warehouse", &[&amount, &w])?;
        let district = self.execute("p_district", &[&amount, &w, &d])?;
        let c = self.find("p_by_name", cw, cd, who)?;
        let customer = self.execute("p_customer", &[&amount, &amount, &cw, &cd, &c])?;
        if text(&customer, 10)? == "BC" {
            let note = format!("{c} {cd} {cw} {d} {w} {amount} | ");
            self.execute("p_bad_credit", &[&note, &cw, &cd, &c])?;
        }
        let note = format!("{}    {}", text(&warehouse, 0)?, text(&district, 0)?);
        self.execute("p_history", &[&c, &cd, &cw, &d, &w, &amount, &note])?;
        self.execute(COMMIT, &[]).map(drop)
    }

    /// A customer's number; of several with the name, which somebody has, the one in the middle.
    fn find(&mut self, by_name: &str, w: u32, d: u32, who: Who) -> Result<i64> {
        match who {
            Who::Number(c) => Ok(i64::from(c)),
            Who::Name(name) => {
                let found = self.execute(by_name, &[&w, &d, &name])?;
                number(&found[found.len().saturating_sub(1) / 2..], 0)
            }
        }
    }

    fn order_status(&mut self) -> Result<()> {
        let (w, d, who) = (self.warehouse, self.district(), self.who());
        self.execute(BEGIN, &[])?;
        let by_number = matches!(who, Who::Number(_));
        let c = self.find("os_by_name", w, d, who)?;
        if by_number {
            self.execute("os_customer", &[&w, &d, &c])?;
        }
        let o = number(&self.execute("os_order", &[&w, &d, &c])?, 0)?;
        self.execute("os_lines", &[&w, &d, &o])?;
        self.execute(COMMIT, &[]).map(drop)
    }

    fn delivery(&mut self) -> Result<()> {
        let (w, carrier) = (self.warehouse, self.rng.u32(1..=10));
        self.execute(BEGIN, &[])?;
        for d in 1..=DISTRICTS {
            let Some(o) = self.oldest(w, d)? else { continue };
            let c = number(&self.execute("d_order", &[&carrier, &w, &d, &o])?, 0)?;
            self.execute("d_lines", &[&w, &d, &o])?;
            let sum = self.execute("d_amount", &[&w, &d, &o])?;
            let amount = text(&sum, 0)?.to_string();
            self.execute("d_customer", &[&amount, &w, &d, &c])?;
        }
        self.execute(COMMIT, &[]).map(drop)
    }

    /// Takes a district's oldest undelivered order. Another delivery may have been faster: then the next.
    fn oldest(&mut self, w: u32, d: u32) -> Result<Option<i64>> {
        loop {
            let oldest = self.execute("d_oldest", &[&w, &d])?;
            if oldest.is_empty() {
                return Ok(None);
            }
            let o = number(&oldest, 0)?;
            if !self.execute("d_take", &[&w, &d, &o])?.is_empty() {
                return Ok(Some(o));
            }
        }
    }

    fn stock_level(&mut self) -> Result<()> {
        let (w, d, threshold) = (self.warehouse, self.district(), self.rng.u32(10..=20));
        self.execute(BEGIN, &[])?;
        let next = number(&self.execute("sl_district", &[&w, &d])?, 0)?;
        self.execute("sl_stock", &[&w, &d, &(next - ORDERS_LOOKED_AT), &next, &w, &threshold])?;
        self.execute(COMMIT, &[]).map(drop)
    }

    /// One round trip: parameters and results are text.
    fn execute(&mut self, name: &str, parameters: &[&dyn ToText]) -> Result<Rows> {
        let messages = messages(name, parameters)?;
        send(&mut self.connection, messages)
    }

    /// A statement with several sets of parameters, the rows of all: as a batch that makes one round trip, or one by one.
    fn execute_each<const N: usize>(&mut self, name: &str, sets: &[[&dyn ToText; N]]) -> Result<Rows> {
        let mut rows = Vec::new();
        if !self.batches {
            for set in sets {
                rows.extend(self.execute(name, set)?);
            }
            return Ok(rows);
        }
        let mut all = Vec::new();
        for set in sets {
            all.extend(messages(name, set)?);
        }
        send(&mut self.connection, all)
    }
}

/// Bind and Execute.
fn messages(name: &str, parameters: &[&dyn ToText]) -> Result<[Message; 2]> {
    let mut bind = Message::new(b'B');
    bind.text("")?.text(name)?.i16(0).i16(parameters.len() as i16);
    for value in parameters {
        let text = value.to_text();
        bind.i32(text.len() as i32).bytes(text.as_bytes());
    }
    bind.i16(0);
    let mut run = Message::new(b'E');
    run.text("")?.i32(0);
    Ok([bind, run])
}

/// Values as the wire has them.
trait ToText {
    fn to_text(&self) -> String;
}

impl<T: ToString> ToText for T {
    fn to_text(&self) -> String {
        self.to_string()
    }
}

fn prepare(connection: &mut Connection, name: &str, text: &str) -> Result<()> {
    let mut parse = Message::new(b'P');
    parse.text(name)?.text(text)?.i16(0);
    send(connection, [parse]).map(drop)
}

fn send(connection: &mut Connection, messages: impl IntoIterator<Item = Message>) -> Result<Rows> {
    let all = messages.into_iter().chain([Message::new(b'S')]).flat_map(Message::end);
    connection.write(&all.collect::<Vec<u8>>())?;
    connection.until_ready()
}

/// A value of the first row.
fn text(rows: &[Vec<Option<String>>], column: usize) -> Result<&str> {
    let value = rows.first().and_then(|row| row.get(column)).and_then(Option::as_deref);
    value.ok_or_else(|| WireError::Protocol("a row of TPC-C that must be there is missing".into()))
}

fn number(rows: &[Vec<Option<String>>], column: usize) -> Result<i64> {
    let value = text(rows, column)?;
    value.parse().map_err(|_| WireError::Protocol(format!("a number was expected: {value}")))
}

/// A price in cents.
fn cents(rows: &[Vec<Option<String>>], column: usize) -> Result<i64> {
    let value = text(rows, column)?;
    let digits = value.replace('.', "");
    digits.parse().map_err(|_| WireError::Protocol(format!("a price was expected: {value}")))
}
