//! The statements of the five transactions, by their names on the server.
//!
//! It must not know which server runs them.

/// What the transactions begin and end with.
pub const BEGIN: &str = "begin";
/// See `BEGIN`.
pub const COMMIT: &str = "commit";
/// See `BEGIN`.
pub const ROLLBACK: &str = "rollback";

/// Name and text of each; those for stock, which differ by the district, are made by `stock`.
pub const STATEMENTS: [(&str, &str); 27] = [
    (BEGIN, "BEGIN"),
    (COMMIT, "COMMIT"),
    (ROLLBACK, "ROLLBACK"),
    // New-Order (2.4)
    (
        "no_customer",
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = $1 AND c_w_id = w_id AND c_d_id = $2 AND c_id = $3",
    ),
    (
        "no_district",
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 RETURNING d_next_o_id - 1, d_tax",
    ),
    (
        "no_order",
        "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP, $5, $6)",
    ),
    ("no_new_order", "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3)"),
    ("no_item", "SELECT i_price, i_name, i_data FROM item WHERE i_id = $1"),
    (
        "no_line",
        "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    ),
    // Payment (2.5)
    (
        "p_warehouse",
        "UPDATE warehouse SET w_ytd = w_ytd + $1 WHERE w_id = $2 RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip",
    ),
    (
        "p_district",
        "UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3 RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip",
    ),
    (
        "p_by_name",
        "SELECT c_id FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first",
    ),
    (
        "p_customer",
        "UPDATE customer SET c_balance = c_balance - $1, c_ytd_payment = c_ytd_payment + $2, c_payment_cnt = c_payment_cnt + 1 \
         WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5 RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, \
         c_since, c_credit, c_credit_lim, c_discount, c_balance",
    ),
    (
        "p_bad_credit",
        "UPDATE customer SET c_data = substr($1 || c_data, 1, 500) WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4 RETURNING substr(c_data, 1, 200)",
    ),
    (
        "p_history",
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($1, $2, $3, $4, $5, CURRENT_TIMESTAMP, $6, $7)",
    ),
    // Order-Status (2.6)
    (
        "os_customer",
        "SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
    ),
    (
        "os_by_name",
        "SELECT c_id, c_balance, c_first, c_middle FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first",
    ),
    (
        "os_order",
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1",
    ),
    (
        "os_lines",
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
    ),
    // Delivery (2.7)
    (
        "d_oldest",
        "SELECT no_o_id FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1",
    ),
    (
        "d_take",
        "DELETE FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3 RETURNING no_o_id",
    ),
    (
        "d_order",
        "UPDATE orders SET o_carrier_id = $1 WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4 RETURNING o_c_id",
    ),
    (
        "d_lines",
        "UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
    ),
    (
        "d_amount",
        "SELECT sum(ol_amount) FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
    ),
    (
        "d_customer",
        "UPDATE customer SET c_balance = c_balance + $1, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4",
    ),
    // Stock-Level (2.8)
    ("sl_district", "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2"),
    (
        "sl_stock",
        "SELECT count(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3 AND ol_o_id < $4 \
         AND s_w_id = $5 AND s_i_id = ol_i_id AND s_quantity < $6",
    ),
];

/// The change of stock for an order of a district, its name and its text.
pub fn stock(district: u32) -> (String, String) {
    let text = format!(
        "UPDATE stock SET s_quantity = CASE WHEN s_quantity >= $1 + 10 THEN s_quantity - $1 ELSE s_quantity - $1 + 91 END, s_ytd = s_ytd + $1, \
         s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2 WHERE s_w_id = $3 AND s_i_id = $4 RETURNING s_quantity, s_dist_{district:02}, s_data"
    );
    (stock_name(district), text)
}

/// Its name.
pub fn stock_name(district: u32) -> String {
    format!("no_stock_{district}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their plans are kept with the SQL layer's expected output.
    #[test]
    fn the_plan_of_each_statement_is_looked_at() {
        let golden = include_str!("../../../evenkeel-sql/tests/golden/tpcc.sql");
        let (name, text) = stock(1);
        let all = STATEMENTS.iter().map(|(n, t)| ((*n).to_string(), (*t).to_string())).chain([(name, text)]);
        for (name, text) in all.filter(|(name, _)| ![BEGIN, COMMIT, ROLLBACK].contains(&name.as_str())) {
            assert!(golden.contains(&format!("prepare {name} as {text};\n")), "{name}: {text}");
        }
    }
}
