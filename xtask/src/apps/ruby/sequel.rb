# Sequel: tables and what is read of them, datasets, writes that conflict, cursors, COPY, prepared statements, transactions, migrations, models.
require "sequel"
require_relative "checks"

AS = ["Sequel", Sequel.version].freeze
DB = Sequel.connect(adapter: "postgres", host: PLACE[:host], port: PLACE[:port], user: PLACE[:user], database: DATABASE)
Sequel.extension :migration, :pg_array_ops, :pg_json_ops
DB.extension :pg_array, :pg_json, :pg_enum, :pg_inet, :pg_row, :schema_dumper, :string_agg
DB.run("set client_min_messages = warning")
DB.drop_table?(:sq_items, :sq_albums, :sq_artists, cascade: true)
DB.drop_enum(:sq_mood, if_exists: true, cascade: true)

check(*AS, "tables, and what it reads of them") do
  DB.create_enum(:sq_mood, %w[sad ok happy])
  DB.add_enum_value(:sq_mood, "great", after: "ok")
  DB.create_table(:sq_artists) do
    primary_key :id
    String :name, null: false, unique: true
    sq_mood :feel, default: "ok"
    column :tags, "text[]", default: Sequel.pg_array([], :text)
    jsonb :data, default: Sequel.lit("'{}'::jsonb")
    uuid :u, default: Sequel.function(:gen_random_uuid)
    timestamptz :ts, default: Sequel::CURRENT_TIMESTAMP
    BigDecimal :price, size: [10, 2], default: 1.5
    Float :f, default: 0.5
    File :blob
    constraint(:nm, Sequel.lit("char_length(name) > 1"))
    index :price, where: { feel: "ok" }, name: :sq_part
    index Sequel.function(:lower, :name), name: :sq_low
  end
  DB.create_table(:sq_albums) do
    primary_key :id, identity: true
    foreign_key :artist_id, :sq_artists, on_delete: :cascade, deferrable: true
    String :title, size: 50
    Integer :year
    Integer :next_year, generated_always_as: Sequel[:year] + 1
    unique %i[artist_id title]
  end
  read = DB.schema(:sq_artists).to_h { |c, h| [c, [h[:type], h[:db_type], h[:default], h[:allow_null]]] }
  equal(read[:feel], [:enum, "sq_mood", "'ok'::sq_mood", true])
  equal(read[:tags], [:string_array, "text[]", "'{}'::text[]", true])
  equal(read[:price], [:decimal, "numeric(10,2)", "1.5", true])
  equal(DB.schema(:sq_artists).to_h[:feel][:enum_values], %w[sad ok great happy])
  equal(DB.indexes(:sq_artists, include_partial: true)[:sq_part][:columns], [:price])
  key = DB.foreign_key_list(:sq_albums).first
  equal(key.values_at(:columns, :key, :table, :on_delete, :deferrable), [[:artist_id], [:id], :sq_artists, :cascade, true])
  equal(DB.check_constraints(:sq_artists).keys, [:nm])
  equal([DB.primary_key(:sq_albums), DB.primary_key_sequence(:sq_artists)], ["id", '"public"."sq_artists_id_seq"'])
  raise "no column" unless DB.dump_table_schema(:sq_artists).match?(/BigDecimal :price, :default=>.*, :size=>\[10, 2\]/)
end

check(*AS, "rows written and read, and what conflicts") do
  given = { name: "Ab", tags: Sequel.pg_array(%w[x y]), data: Sequel.pg_jsonb({ "a" => [1, nil, "z"] }), blob: Sequel.blob("\0\x01'\\"), ts: Time.utc(2020, 1, 2, 3, 4, 5.5r) }
  DB[:sq_artists].insert(given)
  row = DB[:sq_artists].first
  equal([row[:tags].to_a, row[:data].to_hash, row[:blob], row[:ts].to_r, row[:price]], [%w[x y], { "a" => [1, nil, "z"] }, "\0\x01'\\".b, given[:ts].to_r, BigDecimal("1.5")])
  equal(DB[:sq_artists].multi_insert([{ name: "Bc" }, { name: "Cd" }], return: :primary_key), [2, 3])
  equal(DB[:sq_artists].returning(:name).where(name: "Cd").update(name: Sequel.join([:name, "x"])), [{ name: "Cdx" }])
  DB[:sq_artists].insert_conflict(target: :name, update: { price: Sequel[:excluded][:price] + 1 }).insert(name: "Ab", price: 7)
  DB[:sq_artists].insert_ignore.insert(name: "Ab")
  equal(DB[:sq_artists].where(name: "Ab").get(:price), 8)
  DB[:sq_albums].import(%i[artist_id title year], [[1, "T1", 2000], [1, "T2", 2001], [2, "T3", 1999]])
  equal(DB[:sq_albums].order(:id).select_map(:next_year), [2001, 2002, 2000])
  fails(Sequel::UniqueConstraintViolation) { DB[:sq_albums].insert(artist_id: 1, title: "T1") }
  fails(Sequel::ForeignKeyConstraintViolation) { DB[:sq_albums].insert(artist_id: 999, title: "T1") }
  fails(Sequel::NotNullConstraintViolation) { DB[:sq_artists].insert(name: nil) }
  fails(Sequel::CheckConstraintViolation) { DB[:sq_artists].insert(name: "x") }
end

check(*AS, "datasets") do
  albums = DB[:sq_albums]
  equal(DB[:sq_artists].join(:sq_albums, artist_id: :id).order(Sequel[:sq_albums][:id]).select_map(%i[name title]), [%w[Ab T1], %w[Ab T2], %w[Bc T3]])
  equal(albums.group_and_count(:artist_id).order(:artist_id).map(:count), [2, 1])
  equal(albums.order(:id).select { [id, row_number.function.over(partition: :artist_id, order: Sequel.desc(:year)).as(:n)] }.map(:n), [2, 1, 1])
  equal(DB[:t].with_recursive(:t, DB.select(Sequel.as(1, :n)), DB[:t].select { n + 1 }.where { n < 5 }).select_order_map(:n), [1, 2, 3, 4, 5])
  equal(albums.distinct(:artist_id).order(:artist_id, Sequel.desc(:year)).select_map(:title), %w[T2 T3])
  equal(DB[:sq_artists].where(name: /^[ab]/i).order(:id).select_map(:name), %w[Ab Bc])
  equal(DB[:sq_artists].where(Sequel.pg_array(:tags).contains(Sequel.pg_array(["x"], :text))).select_map(:id), [1])
  equal(DB[:sq_artists].where(Sequel.pg_jsonb_op(:data).has_key?("a")).get(Sequel.pg_jsonb_op(:data)[%w[a 2]].as(:v)), "z")
  equal(albums.get(Sequel.string_agg(:title, ",").order(Sequel.desc(:title))), "T3,T2,T1")
  equal(DB[:sq_artists].cross_join(albums.where(artist_id: Sequel[:sq_artists][:id]).order(:id).limit(1).lateral).select_order_map(:title), %w[T1 T3])
end

check(*AS, "cursors, COPY and prepared statements") do
  equal(DB[:sq_albums].order(:id).use_cursor(rows_per_fetch: 2).map(:title), %w[T1 T2 T3])
  DB[:sq_albums].use_cursor(cursor_name: "c", rows_per_fetch: 1).each { DB[:sq_albums].where_current_of("c").update(year: Sequel[:year] + 1) }
  equal(DB[:sq_albums].sum(:year), 6003)
  DB.copy_into(:sq_albums, columns: %i[artist_id title], data: "1,\"c,1\"\n2,c2\n", format: :csv)
  equal(DB.copy_table(DB[:sq_albums].where(Sequel.like(:title, "c%")).select(:title).order(:id), format: :csv), "\"c,1\"\nc2\n")
  found = DB[:sq_artists].where(id: :$i).prepare(:first, :sq_find)
  equal([found.call(i: 1)[:name], found.call(i: 2)[:name]], %w[Ab Bc])
end

check(*AS, "transactions, locks and notifications") do
  DB.transaction(isolation: :repeatable) do
    DB[:sq_artists].for_update.skip_locked.first
    DB.transaction(savepoint: true) do
      DB[:sq_artists].insert(name: "gone")
      raise Sequel::Rollback
    end
    equal(DB[:sq_artists].where(name: "gone").count, 0)
  end
  sender = Thread.new do
    sleep 0.3
    DB.notify(:sq, payload: "hi")
  end
  equal(DB.listen(:sq, timeout: 10) { |channel, _pid, text| [channel, text] }, "sq")
  sender.join
end

check(*AS, "tables that are altered, and migrations") do
  DB.create_table(:sq_items) { primary_key :id }
  migration = Sequel.migration do
    up do
      alter_table(:sq_items) do
        add_column :y, String, default: "q", null: false
        add_column :x, Integer
        add_foreign_key :artist_id, :sq_artists
        add_index :y, unique: true, name: :sq_iy
        rename_column :y, :z
      end
    end
    down do
      alter_table(:sq_items) do
        drop_foreign_key :artist_id
        drop_column :x
        drop_column :z
      end
    end
  end
  before = DB.dump_table_schema(:sq_items)
  2.times do
    migration.apply(DB, :up)
    DB.alter_table(:sq_items) { add_constraint({ name: :xpos, not_valid: true }) { x > 0 } }
    DB.alter_table(:sq_items) { validate_constraint :xpos }
    equal(DB.schema(:sq_items, reload: true).map(&:first), %i[id z x artist_id])
    DB.alter_table(:sq_items) { drop_constraint :xpos }
    migration.apply(DB, :down)
    DB.schema(:sq_items, reload: true)
    equal(DB.dump_table_schema(:sq_items), before)
  end
end
