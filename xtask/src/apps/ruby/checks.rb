# What the programs beside this share: a check has a name, and passes unless it raises.
$stdout.sync = true
PLACE = { host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT").to_i, user: ENV.fetch("PGUSER") }.freeze
DATABASE = ENV.fetch("PGDATABASE")

def check(client, version, name)
  yield
  puts "ok\t#{client}\t#{version}\t#{name}\t"
rescue StandardError => e # whatever a client raises is its answer
  where = e.backtrace&.find { |l| l.include?(__dir__) }
  why = e.message.split.join(" ")[0, 160]
  puts "FAILED\t#{client}\t#{version}\t#{name}\t#{e.class}: #{why} (#{File.basename(where.to_s).split(":in").first})"
end

def equal(got, wanted)
  raise "#{got.inspect} is not #{wanted.inspect}" unless got == wanted
end

def fails(kind)
  yield
rescue kind => e
  e
else
  raise "no #{kind} was raised"
end

# The server is killed, and is there again.
def restart
  puts "restart"
  $stdin.gets
end
