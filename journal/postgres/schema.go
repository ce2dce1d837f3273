package postgres

import (
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
)

// schemaVersion is that of schemas which this version makes.
const schemaVersion = 5

// schema makes an empty schema one of ours; the version is put into format then. An @ stands for the schema's name and a dot.
//
// A row of journal holds a frame of entries (see journal.AppendEntries), or where the run was compacted a block of
// package block; last is the seq of its last entry. A run's head is in its row of runs, which is locked by whoever
// appends. Names are texts, and compare by their bytes; what may be any bytes is a bytea. The labels of a run are JSON, "" for
// none, and triggers bring run_labels up to date with them (laws J13 and J14). The index runs_turn is the order in which
// workers take runs; runs_later says when the next one may be taken (laws J16 and J17). The table drivers says which drivers live, and cells
// holds values that processes change by comparing (law J20).
//
// The feed of changes (law W8) is in the order of tx, the transaction that changed a run last; gone has runs that were deleted. Triggers
// keep both where processes of earlier versions write. There is none before an update, which would lock each row first. An append of entries
// alone, a claim and a compaction fire none. The table feed names the order, and the cluster (see Store.Feed) whose transactions tx are.
const schema = `
CREATE TABLE @format (
	id integer PRIMARY KEY CHECK (id = 1),
	version integer NOT NULL
);
CREATE TABLE @runs (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	run text COLLATE "C" NOT NULL UNIQUE,
	head bigint NOT NULL,
	plan text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	fingerprint text COLLATE "C" NOT NULL,
	definition text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	error bytea NOT NULL,
	created bigint NOT NULL,
	updated bigint NOT NULL,
	waiting bigint NOT NULL,
	driver text COLLATE "C" NOT NULL DEFAULT '',
	ready boolean NOT NULL DEFAULT false,
	labels text COLLATE "C" NOT NULL DEFAULT '',
	queue text COLLATE "C" NOT NULL DEFAULT '',
	priority integer NOT NULL DEFAULT 0,
	notbefore bigint NOT NULL DEFAULT 0,
	dedup text COLLATE "C" NOT NULL DEFAULT '',
	tx xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (fillfactor = 60);
CREATE INDEX runs_status ON @runs (status, id);
CREATE TABLE @journal (
	run bigint NOT NULL,
	last bigint NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (run, last)
);
ALTER TABLE @journal ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE @checkpoints (
	run bigint PRIMARY KEY,
	seq bigint NOT NULL,
	data bytea NOT NULL
);
CREATE TABLE @interrupts (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	interrupt text COLLATE "C" NOT NULL UNIQUE,
	run bigint NOT NULL,
	opened bigint NOT NULL,
	open boolean NOT NULL,
	role text COLLATE "C" NOT NULL,
	data bytea NOT NULL,
	state text COLLATE "C" NOT NULL DEFAULT '',
	kind text COLLATE "C" NOT NULL DEFAULT '',
	holder text COLLATE "C" NOT NULL DEFAULT '',
	due bigint NOT NULL DEFAULT 0
);
CREATE INDEX interrupts_run ON @interrupts (run);
CREATE INDEX interrupts_open ON @interrupts (opened, id) WHERE open;
CREATE TABLE @timers (
	run bigint NOT NULL,
	timer text COLLATE "C" NOT NULL,
	due bigint NOT NULL,
	PRIMARY KEY (run, timer)
);
CREATE INDEX timers_due ON @timers (due);
INSERT INTO @format (id, version) VALUES (1, 0);
` + readyRuns + foundBy + openInterrupts + turns + cells + fed

// Parts of the schema that later versions have added.
const (
	// readyRuns is of version 2.
	readyRuns = `CREATE INDEX runs_ready ON @runs (id) WHERE ready;
CREATE TABLE @drivers (
	driver text COLLATE "C" PRIMARY KEY,
	until timestamptz NOT NULL
);
`
	// foundBy and openInterrupts are of version 3.
	foundBy = `CREATE INDEX runs_created ON @runs (created, id) WHERE kind <> 'definition';
CREATE INDEX runs_updated ON @runs (updated, id) WHERE kind <> 'definition';
CREATE INDEX runs_found ON @runs (status, created, id) WHERE kind <> 'definition';
CREATE INDEX runs_plan ON @runs (plan, created, id) WHERE kind <> 'definition';
CREATE TABLE @run_labels (
	key text COLLATE "C" NOT NULL,
	value text COLLATE "C" NOT NULL,
	created bigint NOT NULL,
	run bigint NOT NULL,
	PRIMARY KEY (key, value, created, run)
);
CREATE FUNCTION @relabel() RETURNS trigger LANGUAGE plpgsql AS $relabel$
BEGIN
	IF TG_OP <> 'INSERT' AND OLD.labels <> '' THEN
		DELETE FROM @run_labels l USING json_each_text(OLD.labels::json) o
		WHERE l.key = o.key AND l.value = o.value AND l.created = OLD.created AND l.run = OLD.id;
	END IF;
	IF TG_OP <> 'DELETE' AND NEW.labels <> '' THEN
		INSERT INTO @run_labels (key, value, created, run) SELECT n.key, n.value, NEW.created, NEW.id FROM json_each_text(NEW.labels::json) n;
	END IF;
	RETURN NULL;
END
$relabel$;
CREATE TRIGGER runs_labelled AFTER INSERT ON @runs FOR EACH ROW WHEN (NEW.labels <> '') EXECUTE FUNCTION @relabel();
CREATE TRIGGER runs_relabelled AFTER UPDATE OF labels, created ON @runs FOR EACH ROW
	WHEN (NEW.labels <> OLD.labels OR NEW.created <> OLD.created) EXECUTE FUNCTION @relabel();
CREATE TRIGGER runs_unlabelled AFTER DELETE ON @runs FOR EACH ROW WHEN (OLD.labels <> '') EXECUTE FUNCTION @relabel();
`
	openInterrupts = `CREATE INDEX interrupts_role ON @interrupts (role, opened, id) WHERE open;
CREATE INDEX interrupts_holder ON @interrupts (holder, opened, id) WHERE open AND holder <> '';
CREATE INDEX interrupts_due ON @interrupts (due, id) WHERE open AND due > 0;
`
	// turns is of version 4.
	turns = `CREATE INDEX runs_turn ON @runs (priority DESC, id) WHERE status = 'running' OR ready AND status = 'paused';
CREATE INDEX runs_later ON @runs (notbefore, id) WHERE notbefore > 0 AND (status = 'running' OR ready AND status = 'paused');
CREATE UNIQUE INDEX runs_dedup ON @runs (dedup) WHERE dedup <> '';
`
	// cells is of version 5.
	cells = `CREATE TABLE @cells (
	name text COLLATE "C" PRIMARY KEY,
	value bytea NOT NULL
) WITH (fillfactor = 60);
`
	// fed is of version 5.
	fed = `CREATE INDEX runs_tx ON @runs (tx, id) WHERE kind <> 'definition';
CREATE TABLE @gone (
	id bigint PRIMARY KEY,
	run text COLLATE "C" NOT NULL,
	plan text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	labels text COLLATE "C" NOT NULL,
	tx xid8 NOT NULL,
	at timestamptz NOT NULL
);
CREATE INDEX gone_tx ON @gone (tx, id);
CREATE TABLE @feed (
	id integer PRIMARY KEY CHECK (id = 1),
	store text NOT NULL,
	cluster text NOT NULL,
	forgotten xid8 NOT NULL
);
INSERT INTO @feed (id, store, cluster, forgotten)
SELECT 1, md5(random()::text || clock_timestamp()), system_identifier, '0' FROM pg_control_system();
CREATE FUNCTION @mark() RETURNS trigger LANGUAGE plpgsql AS $mark$
BEGIN
	UPDATE @runs SET tx = pg_current_xact_id() WHERE id = NEW.id;
	RETURN NULL;
END
$mark$;
CREATE TRIGGER runs_marked AFTER UPDATE OF status, updated ON @runs FOR EACH ROW WHEN (NEW.tx = OLD.tx) EXECUTE FUNCTION @mark();
CREATE FUNCTION @remember() RETURNS trigger LANGUAGE plpgsql AS $remember$
DECLARE
	last xid8;
BEGIN
	INSERT INTO @gone (id, run, plan, kind, labels, tx, at)
	VALUES (OLD.id, OLD.run, OLD.plan, OLD.kind, OLD.labels, pg_current_xact_id(), clock_timestamp());
	WITH old AS (
		DELETE FROM @gone WHERE id IN (SELECT g.id FROM (SELECT id, at FROM @gone ORDER BY tx, id LIMIT 100) g WHERE g.at < clock_timestamp() - interval '30 days')
		RETURNING tx
	) SELECT tx INTO last FROM old ORDER BY tx DESC LIMIT 1;
	IF last IS NOT NULL THEN
		UPDATE @feed SET forgotten = last WHERE forgotten < last;
	END IF;
	RETURN NULL;
END
$remember$;
CREATE TRIGGER runs_gone AFTER DELETE ON @runs FOR EACH ROW WHEN (OLD.kind <> 'definition') EXECUTE FUNCTION @remember();
`
)

// upgrades bring a schema from version 1 to 2, from 2 to 3, and so on.
//
// PostgreSQL looks at all that depends on a table for each column that is added, so a new schema is not made by them.
var upgrades = []string{
	`
ALTER TABLE @runs ADD COLUMN driver text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE @runs ADD COLUMN ready boolean NOT NULL DEFAULT false;
` + readyRuns,
	`
ALTER TABLE @runs ADD COLUMN labels text COLLATE "C" NOT NULL DEFAULT '';
` + foundBy + `
ALTER TABLE @interrupts ADD COLUMN state text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE @interrupts ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE @interrupts ADD COLUMN holder text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE @interrupts ADD COLUMN due bigint NOT NULL DEFAULT 0;
` + openInterrupts,
	`
ALTER TABLE @runs ADD COLUMN queue text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE @runs ADD COLUMN priority integer NOT NULL DEFAULT 0;
ALTER TABLE @runs ADD COLUMN notbefore bigint NOT NULL DEFAULT 0;
ALTER TABLE @runs ADD COLUMN dedup text COLLATE "C" NOT NULL DEFAULT '';
` + turns,
	cells + `
ALTER TABLE @runs ADD COLUMN tx xid8 NOT NULL DEFAULT pg_current_xact_id();
` + fed,
}

// refilled is the version that brought the columns by which interrupts are found: those of before get them then.
const refilled = 3

// Marks in statements: of the schema, and of a condition that is always true.
const (
	schemaMark = "@"
	commitMark = "#"
)

// relaxed is true, and lets the transaction end before it is on the server's disk.
const relaxed = "(SELECT set_config('synchronous_commit', 'off', true)) = 'off'"

// Statements that append. The first common table is the fence: without a row of it, nothing is written.
const (
	appendFrame = `
WITH fence AS (UPDATE @runs SET head = $3 WHERE run = $1 AND head = $2 AND # RETURNING id)
INSERT INTO @journal (run, last, data) SELECT id, $3, $4 FROM fence`

	createRun = `
WITH fence AS (
	INSERT INTO @runs (run, head, plan, kind, fingerprint, definition, status, error, created, updated, waiting, driver, ready, labels,
		queue, priority, notbefore, dedup)
	SELECT $1, $3, $6, $7, $8, $9, $10, $11, $12, $13, $14, $26, $27, $29, $34, $35, $36, $37
	WHERE $2::bigint = 0 AND $5::boolean AND $28::text IS NULL AND #
	ON CONFLICT DO NOTHING RETURNING id
)` + appendRest

	updateRun = `
WITH fence AS (
	UPDATE @runs SET head = $3,
		plan = CASE WHEN $5::boolean THEN $6 ELSE plan END, kind = CASE WHEN $5 THEN $7 ELSE kind END,
		fingerprint = CASE WHEN $5 THEN $8 ELSE fingerprint END, definition = CASE WHEN $5 THEN $9 ELSE definition END,
		status = CASE WHEN $5 THEN $10 ELSE status END, error = CASE WHEN $5 THEN $11 ELSE error END,
		created = CASE WHEN $5 THEN $12 ELSE created END, updated = CASE WHEN $5 THEN $13 ELSE updated END,
		waiting = CASE WHEN $5 THEN $14 ELSE waiting END, driver = CASE WHEN $5 THEN $26 ELSE driver END,
		ready = CASE WHEN $5 THEN $27 ELSE ready END, labels = CASE WHEN $5 THEN $29 ELSE labels END,
		queue = CASE WHEN $5 THEN $34 ELSE queue END, priority = CASE WHEN $5 THEN $35 ELSE priority END,
		notbefore = CASE WHEN $5 THEN $36 ELSE notbefore END, dedup = CASE WHEN $5 THEN $37 ELSE dedup END, tx = pg_current_xact_id()
	WHERE run = $1 AND head = $2 AND ($28::text IS NULL OR driver = $28) AND # RETURNING id
)` + appendRest

	// An interrupt that another run has becomes one of no run, which the table refuses.
	appendRest = `, frame AS (
	INSERT INTO @journal (run, last, data) SELECT id, $3, $4 FROM fence WHERE $4::bytea IS NOT NULL
), asked AS (
	INSERT INTO @interrupts AS i (interrupt, run, opened, open, role, data, state, kind, holder, due)
	SELECT q.interrupt, fence.id, q.opened, q.open, q.role, q.data, q.state, q.kind, q.holder, q.due
	FROM fence, unnest($15::text[], $16::bigint[], $17::boolean[], $18::text[], $19::bytea[], $30::text[], $31::text[], $32::text[], $33::bigint[])
		WITH ORDINALITY AS q (interrupt, opened, open, role, data, state, kind, holder, due, n) ORDER BY q.n
	ON CONFLICT (interrupt) DO UPDATE SET run = CASE i.run WHEN excluded.run THEN i.run END, opened = excluded.opened,
		open = excluded.open, role = excluded.role, data = excluded.data, state = excluded.state, kind = excluded.kind,
		holder = excluded.holder, due = excluded.due
), timed AS (
	INSERT INTO @timers (run, timer, due)
	SELECT fence.id, t.timer, t.due FROM fence, unnest($20::text[], $21::bigint[]) AS t (timer, due)
	ON CONFLICT (run, timer) DO UPDATE SET due = excluded.due
), done AS (
	DELETE FROM @timers t USING fence WHERE t.run = fence.id AND ($23::boolean OR t.timer = ANY ($22::text[]))
), checked AS (
	INSERT INTO @checkpoints (run, seq, data) SELECT id, $24, $25 FROM fence WHERE $24::bigint IS NOT NULL
	ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, data = excluded.data
)
SELECT FROM fence`
)

// Other statements.
const (
	lockRun   = "SELECT id FROM @runs WHERE run = $1 FOR UPDATE"
	deleteRun = `
WITH gone AS (DELETE FROM @runs WHERE run = $1 RETURNING id),
	frames AS (DELETE FROM @journal t USING gone WHERE t.run = gone.id),
	checks AS (DELETE FROM @checkpoints t USING gone WHERE t.run = gone.id),
	asked AS (DELETE FROM @interrupts t USING gone WHERE t.run = gone.id),
	timed AS (DELETE FROM @timers t USING gone WHERE t.run = gone.id)
SELECT FROM gone`

	findRun = "SELECT id, head FROM @runs WHERE run = $1"
	// readFrames is the next page of a journal: at most 256 rows, and none behind the one that fills 4 MiB.
	readFrames = `
SELECT data FROM (
	SELECT last, data, sum(octet_length(data)) OVER (ORDER BY last ROWS UNBOUNDED PRECEDING) - octet_length(data) AS before
	FROM @journal WHERE run = $1 AND last > $2 ORDER BY last LIMIT 256
) page WHERE before < 4194304 ORDER BY last`
	getCheckpoint    = "SELECT c.seq, c.data FROM @checkpoints c JOIN @runs r ON r.id = c.run WHERE r.run = $1"
	ownerOfInterrupt = "SELECT i.interrupt, r.run FROM @interrupts i JOIN @runs r ON r.id = i.run WHERE i.interrupt = ANY ($1) AND r.run <> $2 LIMIT 1"
	readHeads        = "SELECT run, head FROM @runs WHERE run = ANY ($1)"
	runColumns       = "run, plan, kind, fingerprint, definition, status, error, created, updated, waiting, driver, ready, labels, queue, priority, notbefore, dedup, head"
	listRuns         = "SELECT " + runColumns + " FROM @runs"
	someInterrupts   = "SELECT id, interrupt, data FROM @interrupts WHERE id > $1 ORDER BY id LIMIT 256"
	refillInterrupts = `UPDATE @interrupts i SET state = q.state, kind = q.kind, holder = q.holder, due = q.due
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS q (id, state, kind, holder, due) WHERE i.id = q.id`
	listInterrupts = "SELECT i.interrupt, i.data FROM @interrupts i"
	listTimers     = `SELECT r.run, t.timer, t.due FROM @timers t JOIN @runs r ON r.id = t.run
WHERE t.due <= $1 ORDER BY t.due, r.run, t.timer LIMIT NULLIF($2::bigint, 0)`

	putBeat = `
WITH old AS (DELETE FROM @drivers WHERE until < clock_timestamp() - interval '1 minute' AND driver <> $1)
INSERT INTO @drivers (driver, until) VALUES ($1, clock_timestamp() + $2 * interval '1 microsecond')
ON CONFLICT (driver) DO UPDATE SET until = excluded.until`
	deleteBeat = "DELETE FROM @drivers WHERE driver = $1"
	listAlive  = "SELECT driver FROM @drivers WHERE until > clock_timestamp()"
	getBeat    = "SELECT (EXTRACT(EPOCH FROM until - clock_timestamp()) * 1000000)::bigint FROM @drivers WHERE driver = $1"
	undriven   = "(driver = '' OR NOT EXISTS (SELECT FROM @drivers d WHERE d.driver = r.driver AND d.until > clock_timestamp()))"
	claimRun   = `
UPDATE @runs r SET driver = $1 WHERE run = $2 AND status IN ('running', 'paused', 'blocked') AND (driver = $1 OR ` + undriven + `)`
	deserted = listRuns + ` r WHERE (status = 'running' OR ready AND status = 'paused') AND ` + undriven + `
	AND (cardinality($2::text[]) = 0 OR queue = ANY ($2)) `
	listDeserted = deserted + "AND notbefore <= $3 ORDER BY priority DESC, id LIMIT NULLIF($1::bigint, 0)"
	listLater    = deserted + "AND notbefore > 0 AND notbefore > $3 ORDER BY notbefore, id LIMIT NULLIF($1::bigint, 0)"
	// holders says whether a run is there, and which run holds a deduplication key.
	holders = "SELECT run FROM @runs WHERE run = $1 OR dedup <> '' AND dedup = $2 ORDER BY run = $1 DESC"

	getCell    = "SELECT value FROM @cells WHERE name = $1"
	insertCell = "INSERT INTO @cells (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"
	updateCell = "UPDATE @cells SET value = $3 WHERE name = $1 AND value = $2"
	deleteCell = "DELETE FROM @cells WHERE name = $1 AND value = $2"
	listCells  = "SELECT name, value FROM @cells WHERE starts_with(name, $1) ORDER BY name LIMIT NULLIF($2::bigint, 0)"
	// orderOf is what names the order of the feed, and where it is. A standby does not tell the file of its log.
	orderOf = `SELECT f.store, f.cluster, (SELECT system_identifier::text FROM pg_control_system()),
	CASE WHEN pg_is_in_recovery() THEN lpad(upper(to_hex((SELECT timeline_id FROM pg_control_checkpoint()))), 8, '0')
		ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,
	pg_snapshot_xmin(pg_current_snapshot())::text::bigint, f.forgotten::text::bigint FROM @feed f`
	// readFeed is the next changes. Both parts have the columns of runColumns behind tx, id and whether the run is gone.
	readFeed = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, x.* FROM (
	(SELECT tx::text::bigint AS tx, id, false AS gone, ` + runColumns + ` FROM @runs r
		WHERE kind <> 'definition' AND (r.tx, id) > ($1::text::xid8, $2::bigint) ORDER BY r.tx, id LIMIT $3)
	UNION ALL
	(SELECT tx::text::bigint, id, true, run, plan, kind, '', '', '', '', 0, 0, 0, '', false, labels, '', 0, 0, '', 0 FROM @gone g
		WHERE (g.tx, id) > ($1::text::xid8, $2::bigint) AND g.tx >= $4::text::xid8 ORDER BY g.tx, id LIMIT $3)
) x ORDER BY x.tx, x.id LIMIT $3`
	lockFeed = "SELECT cluster FROM @feed WHERE id = 1 FOR UPDATE"
	// markRestored gives runs marks of this cluster which have those of another one.
	markRestored   = "UPDATE @runs SET tx = pg_current_xact_id() WHERE tx >= pg_snapshot_xmax(pg_current_snapshot())"
	forgetRestored = "DELETE FROM @gone WHERE tx >= pg_snapshot_xmax(pg_current_snapshot())"
	nameCluster    = "UPDATE @feed SET cluster = $1"

	// announce tells others. It is never worth a wait for the disk, and nothing is lost with it.
	announce = "SELECT pg_notify($1, said) FROM unnest($2::text[]) AS said WHERE " + relaxed
	touch    = "UPDATE @format SET version = version"

	readLinks    = "SELECT last, octet_length(data), substr(data, 1, 1) FROM @journal WHERE run = $1 ORDER BY last"
	readFrame    = "SELECT data FROM @journal WHERE run = $1 AND last = $2"
	lockNumber   = "SELECT id FROM @runs WHERE id = $1 FOR UPDATE"
	findLink     = "SELECT count(*) FROM @journal WHERE run = $1 AND last = $2"
	deletePacked = "DELETE FROM @journal WHERE run = $1 AND last > $2 AND last < $3"
	putPacked    = "UPDATE @journal SET data = $3 WHERE run = $1 AND last = $2"
)

// statements are those above for one schema. Each is made when it is first asked for.
type statements struct {
	schema string
	made   sync.Map // of texts, by statementOf
}

// statementOf is a statement, and how durable an append by it is.
type statementOf struct {
	text       string
	durability journal.Durability
}

// of is a statement for the schema, which waits for the disk.
func (s *statements) of(statement string) string { return s.as(statement, journal.Sync) }

// as is a statement for the schema that is as durable as asked for.
func (s *statements) as(statement string, d journal.Durability) string {
	key := statementOf{statement, d}
	if text, ok := s.made.Load(key); ok {
		return text.(string) //nolint:forcetypeassert // nothing else is stored
	}
	text := in(s.schema, statement)
	if d == journal.Async {
		text = relax(s.schema, statement)
	}
	s.made.Store(key, text)
	return text
}

// in is a statement for a schema, which waits for the disk.
func in(schema, statement string) string {
	s := strings.ReplaceAll(statement, schemaMark, pgx.Identifier{schema}.Sanitize()+".")
	return strings.ReplaceAll(s, commitMark, "true")
}

// relax is a statement that does not wait for the disk, of one that appends.
func relax(schema, statement string) string {
	return in(schema, strings.ReplaceAll(statement, commitMark, relaxed))
}
