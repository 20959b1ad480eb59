# ruby-pg: types, parameters in both formats, pipelines, COPY, notifications, cancel, errors, encodings, a server that is killed, TLS and passwords.
require "pg"
require_relative "checks"

AS = ["ruby-pg", PG::VERSION].freeze

def connect(more = {})
  PG.connect(**PLACE, dbname: DATABASE, **more)
end

def with(more = {})
  c = connect(more)
  yield c
ensure
  c&.close
end

def unescaped(text)
  text.gsub(/\\[nt\\]/, '\n' => "\n", '\t' => "\t", '\\\\' => "\\")
end

check(*AS, "extreme values as text, and as parameters of their types") do
  with do |c|
    c.exec("set client_min_messages = warning; drop domain if exists apps_even cascade; drop type if exists apps_mood cascade")
    c.exec("create type apps_mood as enum ('sad', 'ok', 'not so good'); create domain apps_even as int4 check (value % 2 = 0)")
    File.foreach(ENV.fetch("APPS_VALUES"), chomp: true, encoding: "UTF-8") do |line|
      next if line.start_with?("#") || line.empty?
      type, value = line.split("\t", 2)
      value = unescaped(value)
      equal(c.exec_params("select $1::#{type}", [value]).getvalue(0, 0), value)
    end
  end
end

check(*AS, "values that it maps to Ruby's") do
  with do |c|
    c.type_map_for_results = PG::BasicTypeMapForResults.new(c)
    c.type_map_for_queries = PG::BasicTypeMapForQueries.new(c)
    row = c.exec("select 1::int2, 2::int8, 1.5::numeric, 'NaN'::float8, true, null::int, '2024-02-29'::date, '\\x00ff'::bytea, '{1,NULL,3}'::int[], '{{a,\"b c\"},{d,NULL}}'::text[], '{\"a\": [1, null]}'::jsonb, '10.0.0.0/8'::cidr, 'x'::name").values[0]
    equal(row.values_at(0, 1, 4, 5, 8, 9, 10), [1, 2, true, nil, [1, nil, 3], [["a", "b c"], ["d", nil]], { "a" => [1, nil] }])
    equal([row[2], row[3].nan?, row[6], row[7].bytes, row[11].to_s], [BigDecimal("1.5"), true, Date.new(2024, 2, 29), [0, 255], "10.0.0.0"])
    given = [7, 2.5, true, nil, [1, 2], %w[x y], BigDecimal("1.25")]
    equal(c.exec_params("select $1::int, $2::float8, $3::bool, $4::text, $5::int[], $6::text[], $7::numeric", given).values[0], given)
  end
end

check(*AS, "parameters and results in binary") do
  with do |c|
    sent = [{ value: [42].pack("N"), type: 23, format: 1 }, { value: "\0\x01'\\".b, type: 17, format: 1 }]
    got = c.exec_params("select $1, $2, 1.5::float8", sent, 1)
    equal([got.getvalue(0, 0).unpack1("N"), got.getvalue(0, 1), got.getvalue(0, 2).unpack1("G")], [42, "\0\x01'\\".b, 1.5])
    equal([got.ftype(0), got.fformat(1), got.fname(2)], [23, 1, "float8"])
  end
end

check(*AS, "prepared statements, described") do
  with do |c|
    c.prepare("p", "select $1::int + $2::int8 as n, $3::text")
    d = c.describe_prepared("p")
    equal([d.nparams, d.paramtype(0), d.paramtype(1), d.fname(0), d.ftype(0)], [3, 23, 20, "n", 20])
    equal(c.exec_prepared("p", [1, 2, "x"]).values, [%w[3 x]])
    equal(fails(PG::InvalidTextRepresentation) { c.exec_prepared("p", ["q", 2, ""]) }.result.error_field(PG::PG_DIAG_SQLSTATE), "22P02")
    c.exec("deallocate p")
    fails(PG::InvalidSqlStatementName) { c.exec_prepared("p", [1, 2, "x"]) }
  end
end

check(*AS, "a pipeline, one of whose statements fails") do
  with do |c|
    c.enter_pipeline_mode
    c.send_query_params("select 1", [])
    c.pipeline_sync
    c.send_query_params("select 1/0", [])
    c.send_query_params("select 2", [])
    c.pipeline_sync
    seen = []
    while seen.count(PG::PGRES_PIPELINE_SYNC) < 2
      r = begin
        c.get_result
      rescue PG::DivisionByZero => e
        e.result
      rescue PG::UnableToSend, PG::Error => e
        e.respond_to?(:result) && e.result
      end
      seen << r.result_status if r
    end
    equal(seen, [PG::PGRES_TUPLES_OK, PG::PGRES_PIPELINE_SYNC, PG::PGRES_FATAL_ERROR, PG::PGRES_PIPELINE_ABORTED, PG::PGRES_PIPELINE_SYNC])
    c.exit_pipeline_mode
    equal(c.exec("select 3").getvalue(0, 0), "3")
  end
end

check(*AS, "COPY in and out, with a coder and as binary") do
  with do |c|
    c.exec("create temp table cp (a int, b text)")
    rows = [["1", "tab\tnewline\n\\."], ["2", nil], ["3", "é"]]
    c.copy_data("copy cp from stdin", PG::TextEncoder::CopyRow.new) { rows.each { |r| c.put_copy_data(r) } }
    out = []
    c.copy_data("copy (select * from cp order by a) to stdout", PG::TextDecoder::CopyRow.new) do
      while (r = c.get_copy_data)
        out << r
      end
    end
    equal(out, rows)
    whole = String.new
    c.copy_data("copy cp to stdout (format binary)") do
      while (r = c.get_copy_data)
        whole << r
      end
    end
    c.copy_data("copy cp from stdin (format binary)") { c.put_copy_data(whole) }
    equal(c.exec("select count(*) from cp").getvalue(0, 0), "6")
    fails(RuntimeError) { c.copy_data("copy cp from stdin") { raise "enough" } }
    equal(c.exec("select count(*) from cp").getvalue(0, 0), "6")
  end
end

check(*AS, "rows one by one") do
  with do |c|
    c.send_query("select generate_series(1, 5000)")
    c.set_single_row_mode
    equal(c.get_result.stream_each_row.sum { |r| r[0].to_i }, 12_502_500)
    c.get_last_result
  end
end

check(*AS, "notifications") do
  with do |c|
    c.exec("listen ch")
    with { |d| d.exec_params("select pg_notify('ch', $1)", ["x y"]) }
    got = nil
    c.wait_for_notify(10) { |channel, _pid, text| got = [channel, text] }
    equal(got, ["ch", "x y"])
  end
end

check(*AS, "a query that is canceled, and one that takes too long") do
  with do |c|
    c.send_query("select pg_sleep(30)")
    sleep 0.2
    equal(c.cancel, nil)
    fails(PG::QueryCanceled) { c.get_last_result }
    c.exec("set statement_timeout = 100")
    fails(PG::QueryCanceled) { c.exec("select pg_sleep(30)") }
  end
end

check(*AS, "transactions, and what an error tells") do
  with do |c|
    c.exec("create temp table tx (a int primary key, b int not null check (b > 0))")
    fails(PG::UniqueViolation) { c.transaction { 2.times { c.exec("insert into tx values (1, 1)") } } }
    equal(c.exec("select count(*) from tx").getvalue(0, 0), "0")
    r = fails(PG::CheckViolation) { c.exec("insert into tx values (1, 0)") }.result
    equal([r.error_field(PG::PG_DIAG_TABLE_NAME), r.error_field(PG::PG_DIAG_CONSTRAINT_NAME)], %w[tx tx_b_check])
    r = fails(PG::NotNullViolation) { c.exec("insert into tx values (1)") }.result
    equal(r.error_field(PG::PG_DIAG_COLUMN_NAME), "b")
    equal(fails(PG::UndefinedTable) { c.exec("select 1 from nope") }.result.error_field(PG::PG_DIAG_STATEMENT_POSITION), "15")
    notices = []
    c.set_notice_processor { |text| notices << text }
    c.exec("drop table if exists nope")
    equal(notices, ["NOTICE:  table \"nope\" does not exist, skipping\n"])
  end
end

check(*AS, "encodings and escapes") do
  with do |c|
    c.set_client_encoding("LATIN1")
    equal(c.exec_params("select $1::text", ["é".encode("ISO-8859-1")]).getvalue(0, 0).bytes, [0xE9])
    c.set_client_encoding("UTF8")
    text = "it's \\ \"q\" é\n"
    %w[on off].each do |conforming|
      c.exec("set standard_conforming_strings = #{conforming}; set escape_string_warning = off")
      equal(c.exec("select '#{c.escape_string(text)}'").getvalue(0, 0), text)
      equal(c.exec("select #{c.escape_literal(text)}").getvalue(0, 0), text)
      data = "\0\\'\xFF".b
      equal(c.unescape_bytea(c.exec("select '#{c.escape_bytea(data)}'::bytea").getvalue(0, 0)), data)
    end
    equal(c.exec("select 1 as #{c.escape_identifier('a"b')}").fields, ['a"b'])
  end
end

# Only of a server of the run's own.
root = ENV["APPS_ROOT_CERT"]

if root
  check(*AS, "a server that is killed") do
    c = connect
    restart
    fails(PG::Error) { c.exec("select 1") }
    c.reset
    equal(c.exec("select 1").getvalue(0, 0), "1")
    c.close
  end

  check(*AS, "TLS and a password") do
    user, password = ENV.values_at("APPS_USER", "APPS_PASSWORD")
    with(user: user, password: password, sslmode: "verify-ca", sslrootcert: root, channel_binding: "require") do |c|
      equal([c.ssl_in_use?, c.user], [true, user])
    end
    fails(PG::ConnectionBad) { connect(user: user, password: "wrong") }
  end
end
