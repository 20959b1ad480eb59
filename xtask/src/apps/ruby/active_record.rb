# ActiveRecord: migrations back and forth, what the schema is dumped as, fixtures, validations, relations, locks, counters, transactions.
require "active_record"
require "active_record/fixtures"
require "stringio"
require "tmpdir"
require_relative "checks"

AS = ["ActiveRecord", ActiveRecord::VERSION::STRING].freeze
ActiveRecord::Base.establish_connection(adapter: "postgresql", host: PLACE[:host], port: PLACE[:port], username: PLACE[:user], database: DATABASE)
C = ActiveRecord::Base.connection
C.execute("set client_min_messages = warning; drop table if exists ar_comments, ar_posts, ar_authors, schema_migrations, ar_internal_metadata cascade")
ActiveRecord::Migration.verbose = false

class Tables < ActiveRecord::Migration[6.1]
  def change
    enable_extension "citext"
    create_table :ar_authors do |t|
      t.string :name, null: false, default: "", limit: 100
      t.citext :email, index: { unique: true }
      t.integer :ar_posts_count, null: false, default: 0
      t.integer :lock_version, default: 0
      t.timestamps
      t.check_constraint "ar_posts_count >= 0", name: "counts"
    end
    create_table :ar_posts, id: :uuid do |t|
      t.references :author, foreign_key: { to_table: :ar_authors, on_delete: :cascade }
      t.string :state, default: "draft", limit: 20
      t.string :tags, array: true, default: []
      t.jsonb :data, default: {}
      t.interval :takes, default: "P3Y"
      t.decimal :price, precision: 10, scale: 2, default: "1.5"
      t.text :body, comment: "what it says"
      t.datetime :out_at, precision: 3
      t.index "lower(body)", name: "on_lower"
      t.index :tags, using: :gin
      t.index %i[author_id state], where: "price > 0"
    end
  end
end

class More < ActiveRecord::Migration[6.1]
  def change
    add_column :ar_authors, :bio, :text
    change_column_default :ar_authors, :bio, from: nil, to: "none"
    change_column_null :ar_authors, :bio, false, ""
    rename_column :ar_authors, :bio, :about
    rename_table :ar_authors, :ar_people
    rename_table :ar_people, :ar_authors
    add_index :ar_authors, :name, order: { name: :desc }
    create_join_table :ar_authors, :ar_posts, column_options: { type: :bigint }
    drop_table(:ar_authors_posts) { |t| t.bigint :a }
  end
end

def dumped
  ActiveRecord::SchemaDumper.dump(C, StringIO.new).string
end

class Author < ActiveRecord::Base
  self.table_name = "ar_authors"
  has_many :posts, dependent: :destroy
  validates :name, uniqueness: { case_sensitive: false }
end

class Post < ActiveRecord::Base
  self.table_name = "ar_posts"
  attribute :takes, :interval
  belongs_to :author, counter_cache: :ar_posts_count, optional: true
end

check(*AS, "migrations, back and forth") do
  2.times do
    Tables.migrate(:up)
    before = dumped
    More.migrate(:up)
    More.migrate(:down)
    equal(dumped, before)
    Tables.migrate(:down)
  end
  Tables.migrate(:up)
end

check(*AS, "the schema as it is dumped, and loaded again") do
  text = dumped
  ['default: "", null: false', 'default: "P3Y"', "array: true", "gin", 'where: "(price > (0)::numeric)"', "on_delete: :cascade", "check_constraint", "comment: "].each do |part|
    raise "no #{part} in #{text}" unless text.include?(part)
  end
end

check(*AS, "fixtures that refer to what comes later") do
  Dir.mktmpdir do |dir|
    File.write("#{dir}/ar_posts.yml", "one:\n  id: 11111111-1111-1111-1111-111111111111\n  author_id: 1\n  tags: [a, b]\n")
    File.write("#{dir}/ar_authors.yml", "one:\n  id: 1\n  name: Ada\n  email: Ada@Example.org\n  created_at: 2024-01-02 03:04:05\n  updated_at: 2024-01-02 03:04:05\n")
    ActiveRecord::FixtureSet.create_fixtures(dir, %w[ar_posts ar_authors])
  end
  equal(Post.first.author.name, "Ada")
  fails(ActiveRecord::InvalidForeignKey) { Post.create!(author_id: 77) }
end

check(*AS, "uniqueness without regard to case") do
  equal(Author.new(name: "ADA").valid?, false)
  equal(Author.find_by(email: "ADA@example.ORG").id, 1)
  fails(ActiveRecord::RecordNotUnique) { Author.create!(name: "x", email: "ada@example.org") }
end

check(*AS, "values written and read") do
  p = Post.create!(tags: ["x,y", 'q"'], data: { a: [1, nil] }, takes: 2.hours, price: 7, out_at: Time.utc(2024, 2, 29, 1, 2, 3.123r), body: "é\\'")
  p.reload
  equal([p.tags, p.data, p.takes, p.price, p.out_at.usec, p.body, p.state], [["x,y", 'q"'], { "a" => [1, nil] }, 2.hours, 7, 123_000, "é\\'", "draft"])
  equal(Post.where("tags @> array[?]::varchar[] and data @> ?", ["x,y"], '{"a": [1]}').pluck(:id), [p.id])
  equal(Post.where(id: p.id).update_all("tags = array_append(tags, 'z')"), 1)
  equal(p.reload.tags.last, "z")
  p.destroy!
end

check(*AS, "relations, counters and batches") do
  a = Author.create!(name: "Many", email: "m")
  30.times { |i| a.posts.create!(price: i) }
  equal([a.reload.ar_posts_count, a.posts.sum(:price), a.posts.group(:state).count], [30, 435, { "draft" => 30 }])
  equal(Author.includes(:posts).where(ar_posts: { price: 3 }).map(&:name), ["Many"])
  equal(Author.joins(:posts).group(:name).order(:name).pluck(:name), %w[Ada Many])
  equal(a.posts.find_each(batch_size: 7).count, 30)
  equal(a.posts.order(price: :desc).limit(2).offset(1).pluck(:price), [28, 27])
  Author.upsert_all([{ name: "Many", email: "M", created_at: Time.now, updated_at: Time.now }], unique_by: :email)
  Author.insert_all([{ name: "No", email: "m", created_at: Time.now, updated_at: Time.now }])
  equal(Author.where(email: "m").pluck(:name), ["Many"])
  a.reload.destroy!
  equal(Post.count, 1)
end

check(*AS, "locks, stale rows, savepoints and statements that are canceled") do
  a = Author.first
  b = Author.first
  a.update!(name: "New")
  fails(ActiveRecord::StaleObjectError) { b.update!(name: "Old") }
  a.with_lock { a.update!(name: "Locked") }
  Author.transaction do
    Author.create!(name: "Kept", email: "k")
    Author.transaction(requires_new: true) do
      Author.create!(name: "Gone", email: "g")
      raise ActiveRecord::Rollback
    end
  end
  equal(Author.order(:id).pluck(:name), %w[Locked Kept])
  C.execute("set statement_timeout = 100")
  fails(ActiveRecord::QueryCanceled) { C.execute("select pg_sleep(30)") }
  C.execute("reset statement_timeout")
end

check(*AS, "prepared statements over a change of the table") do
  equal(Author.where(name: "Kept").to_a.size, 1)
  C.execute("alter table ar_authors add extra int default 5")
  equal(Author.where(name: "Kept").to_a.size, 1)
  Author.reset_column_information
  equal(Author.find_by(name: "Kept").extra, 5)
  raise "no plan" unless Author.where(name: "Kept").explain.include?("QUERY PLAN")
end
