package sqlite

import "fmt"

// Marks of a file of ours, in SQLite's header.
const (
	applicationID = 0x4665726D // "Ferm"
	schemaVersion = 5
)

// schema makes an empty file ours.
//
// The table journal is a log: every frame of every run is a row at its end, so a commit of one step writes one page,
// and a commit of many runs' steps hardly more. A row says how far back its run's row before it is (0: it is the
// first), which makes each run a chain. The end of each chain is in the table runs, as of the row state.folded; rows
// behind that are few, and every process that has the file open knows them (see tail). A row without an entry says
// that its run was deleted; it also keeps the row's id from being used again. Where the run was compacted a row holds
// a block in place of a frame, and the rows before it that are in the block are gone; the end of a chain never moves.
//
// A run that is not listed is a definition. Its labels are JSON, "" for none, and triggers bring run_labels up to date with
// them (laws J13 and J14). The index runs_turn is the order in which workers take runs; runs_later says when the next one
// may be taken (laws J16 and J17). The table drivers says which drivers live, and runs what each drives. The columns of
// interrupts behind data are parts of it; due is 0 where there is no deadline. The table cells holds values that processes
// change by comparing (law J20); each change gets the next version, and the row without a name has the last one.
//
// The feed of changes (law W8) is in the order of mark, the number of a run's last change; gone has runs that were deleted, and those
// up to feed.forgotten are not remembered. Triggers keep all of it, so that changes by processes of earlier versions are told, too. An
// append of entries alone, a claim and a compaction fire none.
const schema = `
CREATE TABLE plans (
	id INTEGER PRIMARY KEY,
	plan TEXT NOT NULL,
	kind TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	definition TEXT NOT NULL,
	UNIQUE (plan, kind, fingerprint, definition)
) STRICT;
CREATE TABLE runs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	run TEXT NOT NULL UNIQUE,
	plan INTEGER NOT NULL,
	status TEXT NOT NULL,
	error TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	waiting INTEGER NOT NULL,
	last INTEGER NOT NULL,
	row INTEGER NOT NULL,
	driver TEXT NOT NULL DEFAULT '',
	ready INTEGER NOT NULL DEFAULT 0,
	labels TEXT NOT NULL DEFAULT '',
	listed INTEGER NOT NULL DEFAULT 1,
	queue TEXT NOT NULL DEFAULT '',
	priority INTEGER NOT NULL DEFAULT 0,
	notbefore INTEGER NOT NULL DEFAULT 0,
	dedup TEXT NOT NULL DEFAULT '',
	mark INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX runs_status ON runs (status);
CREATE TABLE journal (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL,
	last INTEGER NOT NULL,
	back INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE state (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	folded INTEGER NOT NULL
) STRICT;
INSERT INTO state (id, folded) VALUES (1, 0);
CREATE TABLE checkpoints (
	id INTEGER PRIMARY KEY,
	seq INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE interrupts (
	id INTEGER PRIMARY KEY,
	interrupt TEXT NOT NULL UNIQUE,
	run INTEGER NOT NULL,
	opened INTEGER NOT NULL,
	open INTEGER NOT NULL,
	data BLOB NOT NULL,
	state TEXT NOT NULL DEFAULT '',
	kind TEXT NOT NULL DEFAULT '',
	role TEXT NOT NULL DEFAULT '',
	holder TEXT NOT NULL DEFAULT '',
	due INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX interrupts_run ON interrupts (run);
CREATE TABLE timers (
	run INTEGER NOT NULL,
	timer TEXT NOT NULL,
	due INTEGER NOT NULL,
	PRIMARY KEY (run, timer)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due);
` + readyIndex + driversTable + foundBy + openInterrupts + turnIndexes + cellsTable + fed

// Parts of the schema that later versions have added.
const (
	// readyIndex and driversTable are of schema 2.
	readyIndex = `CREATE INDEX runs_ready ON runs (ready) WHERE ready = 1;
`
	driversTable = `CREATE TABLE drivers (
	driver TEXT PRIMARY KEY,
	until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
	// foundBy and openInterrupts are of schema 3.
	foundBy = `CREATE INDEX runs_created ON runs (created) WHERE listed = 1;
CREATE INDEX runs_updated ON runs (updated) WHERE listed = 1;
CREATE INDEX runs_found ON runs (status, created) WHERE listed = 1;
CREATE INDEX runs_plan ON runs (plan, created) WHERE listed = 1;
CREATE TABLE run_labels (
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	created INTEGER NOT NULL,
	run INTEGER NOT NULL,
	PRIMARY KEY (key, value, created, run)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER runs_labelled AFTER INSERT ON runs WHEN new.labels <> '' BEGIN
	INSERT INTO run_labels (key, value, created, run) SELECT key, value, new.created, new.id FROM json_each(new.labels);
END;
CREATE TRIGGER runs_relabelled AFTER UPDATE OF labels, created ON runs
WHEN new.labels <> old.labels OR new.created <> old.created BEGIN
	DELETE FROM run_labels WHERE (key, value, created, run) IN
		(SELECT key, value, old.created, old.id FROM json_each(iif(old.labels = '', '{}', old.labels)));
	INSERT INTO run_labels (key, value, created, run)
		SELECT key, value, new.created, new.id FROM json_each(iif(new.labels = '', '{}', new.labels));
END;
CREATE TRIGGER runs_unlabelled AFTER DELETE ON runs WHEN old.labels <> '' BEGIN
	DELETE FROM run_labels WHERE (key, value, created, run) IN (SELECT key, value, old.created, old.id FROM json_each(old.labels));
END;
`
	openInterrupts = `CREATE INDEX interrupts_open ON interrupts (opened, id, kind, role, holder) WHERE open = 1;
CREATE INDEX interrupts_holder ON interrupts (holder, opened) WHERE open = 1 AND holder <> '';
CREATE INDEX interrupts_due ON interrupts (due) WHERE open = 1 AND due > 0;
`
	// turnIndexes are of schema 4.
	turnIndexes = `CREATE INDEX runs_turn ON runs (priority DESC, id) WHERE status = 'running' OR ready = 1 AND status = 'paused';
CREATE INDEX runs_later ON runs (notbefore, id) WHERE notbefore > 0 AND (status = 'running' OR ready = 1 AND status = 'paused');
CREATE UNIQUE INDEX runs_dedup ON runs (dedup) WHERE dedup <> '';
`
	// cellsTable is of schema 5.
	cellsTable = `CREATE TABLE cells (
	name TEXT PRIMARY KEY,
	value BLOB NOT NULL,
	version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cells_version ON cells (version);
`
	// lastMark is the mark of the last change, and fed of schema 5.
	lastMark = `max(ifnull((SELECT mark FROM runs WHERE listed = 1 ORDER BY mark DESC LIMIT 1), 1),
		ifnull((SELECT max(mark) FROM gone), 0), (SELECT forgotten FROM feed))`
	fed = `CREATE INDEX runs_mark ON runs (mark) WHERE listed = 1;
CREATE TABLE gone (
	mark INTEGER PRIMARY KEY,
	run TEXT NOT NULL,
	plan TEXT NOT NULL,
	kind TEXT NOT NULL,
	labels TEXT NOT NULL,
	at INTEGER NOT NULL
) STRICT;
CREATE TABLE feed (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	store TEXT NOT NULL,
	forgotten INTEGER NOT NULL
) STRICT;
INSERT INTO feed (id, store, forgotten) VALUES (1, lower(hex(randomblob(8))), 0);
CREATE TRIGGER runs_new AFTER INSERT ON runs WHEN new.listed = 1 AND new.mark = 1 BEGIN
	UPDATE runs SET mark = 1 + ` + lastMark + ` WHERE id = new.id;
END;
CREATE TRIGGER runs_changed AFTER UPDATE OF status, updated ON runs WHEN new.listed = 1 AND new.mark = old.mark BEGIN
	UPDATE runs SET mark = 1 + ` + lastMark + ` WHERE id = new.id;
END;
CREATE TRIGGER interrupts_new AFTER INSERT ON interrupts BEGIN
	UPDATE runs SET mark = 1 + ` + lastMark + ` WHERE id = new.run AND listed = 1;
END;
CREATE TRIGGER interrupts_changed AFTER UPDATE OF state, data ON interrupts BEGIN
	UPDATE runs SET mark = 1 + ` + lastMark + ` WHERE id = new.run AND listed = 1;
END;
CREATE TRIGGER runs_gone AFTER DELETE ON runs WHEN old.listed = 1 BEGIN
	INSERT INTO gone (mark, run, plan, kind, labels, at)
		SELECT 1 + max(old.mark, ` + lastMark + `), old.run, p.plan, p.kind, old.labels, unixepoch() FROM plans p WHERE p.id = old.plan;
	UPDATE feed SET forgotten = (SELECT max(mark) FROM (SELECT mark, at FROM gone ORDER BY mark LIMIT 100) WHERE at < unixepoch() - 2592000)
		WHERE (SELECT at FROM gone ORDER BY mark LIMIT 1) < unixepoch() - 2592000;
	DELETE FROM gone WHERE mark <= (SELECT forgotten FROM feed);
END;
`
)

// upgrades bring a file from schema 1 to 2, from 2 to 3, and so on.
var upgrades = []string{
	`
ALTER TABLE runs ADD COLUMN driver TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;
` + readyIndex + driversTable,
	`
ALTER TABLE runs ADD COLUMN labels TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
UPDATE runs SET listed = 0 WHERE plan IN (SELECT id FROM plans WHERE kind = 'definition');
` + foundBy + `
ALTER TABLE interrupts ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE interrupts ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE interrupts ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE interrupts ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE interrupts ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
DROP INDEX interrupts_open;
` + openInterrupts,
	`
ALTER TABLE runs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN notbefore INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN dedup TEXT NOT NULL DEFAULT '';
` + turnIndexes,
	cellsTable + `
ALTER TABLE runs ADD COLUMN mark INTEGER NOT NULL DEFAULT 1;
` + fed,
}

// Views that let a connection that may not write read a file of an earlier schema: nobody drives what is in one of
// schema 1, before schema 3 no run has labels, before schema 4 none has a turn, and before schema 5 there are no cells.
const (
	noTurn = `'' AS queue, 0 AS priority, 0 AS notbefore, '' AS dedup FROM main.runs;
`
	noCells = `CREATE TEMP VIEW cells AS SELECT '' AS name, x'' AS value, 0 AS version WHERE false;
`
	undriven = `
CREATE TEMP VIEW runs AS SELECT *, '' AS driver, 0 AS ready, '' AS labels, ` + noTurn + `CREATE TEMP VIEW drivers AS SELECT '' AS driver, 0 AS until WHERE false;
` + noCells
	unlabelled = `
CREATE TEMP VIEW runs AS SELECT *, '' AS labels, ` + noTurn + noCells
	turnless = `
CREATE TEMP VIEW runs AS SELECT *, ` + noTurn + noCells
)

// query is a statement that connections keep prepared.
type query int

const (
	begin query = iota
	commit
	rollback
	snapshot
	dataVersion
	findRun
	endOfRun
	findPlan
	insertPlan
	insertRun
	updateRun
	foldRun
	getFolded
	putFolded
	insertFrame
	insertAlone
	rowsAfter
	nameOfRun
	putCheckpoint
	getCheckpoint
	ownerOfInterrupt
	putInterrupt
	refillInterrupt
	dataOfInterrupts
	plansNamed
	putTimer
	deleteTimer
	deleteFrames
	deleteCheckpoint
	deleteInterrupts
	deleteTimers
	deleteRun
	readChain
	readFrame
	readFrames
	readEnd
	readLinks
	findLink
	deletePacked
	putPacked
	freePages
	vacuum
	runByID
	runsByStatus
	runsAll
	inboxByID
	inboxOfRun
	inboxOpen
	inboxSize
	inboxAll
	timersDue
	putBeat
	deleteBeat
	sweepBeats
	getBeat
	claimRun
	runsDeserted
	runsLater
	holderOf
	driversAlive
	driverOf
	getCell
	listCells
	putCell
	deleteCell
	nextVersion
	lastVersion
	cellsAfter
	feedOrder
	readFeed
	queries // how many there are
)

// Parts of queries.
const (
	// chain is the rows of a run from row ?1 backwards, as long as they hold entries after seq ?2.
	chain = `WITH RECURSIVE chain (id, run, back) AS (
		SELECT id, run, back FROM journal WHERE id = ?1
		UNION ALL
		SELECT j.id, j.run, j.back FROM chain c CROSS JOIN journal j
		WHERE c.back > 0 AND j.id = c.id - c.back AND j.run = c.run AND j.last > ?2
	) `
	rowColumns = `r.id, r.run, p.plan, p.kind, p.fingerprint, p.definition, r.status, r.error, r.created,
		r.updated, r.waiting, r.driver, r.ready, r.labels, r.queue, r.priority, r.notbefore, r.dedup, r.last`
	runColumns = "SELECT " + rowColumns + " FROM runs r CROSS JOIN plans p WHERE p.id = r.plan AND "
	runFilter  = `(?1 = '' OR p.plan = ?1) AND (?2 = '' OR p.kind = ?2) AND (p.kind = 'definition') = ?3
		ORDER BY r.id DESC LIMIT ?4`
	// deserted is what nobody drives at ?1, of the queues in the JSON ?3, "[]" being all.
	deserted = `(r.status = 'running' OR r.ready = 1 AND r.status = 'paused') AND (r.driver = ''
		OR NOT EXISTS (SELECT 1 FROM drivers d WHERE d.driver = r.driver AND d.until > ?1))
		AND (?3 = '[]' OR r.queue IN (SELECT value FROM json_each(?3))) `
	inboxColumns = "SELECT interrupt, data FROM interrupts"
	inboxOrder   = " ORDER BY opened, id"
)

// sql is the text of each query. Outside of a transaction a frame is inserted only behind the last row that its writer
// knows: otherwise its id is no integer, which SQLite refuses.
var sql = [queries]string{
	begin:       "BEGIN IMMEDIATE",
	commit:      "COMMIT",
	rollback:    "ROLLBACK",
	snapshot:    "BEGIN",
	dataVersion: "PRAGMA data_version",
	findRun:     "SELECT id FROM runs WHERE run = ?1",
	endOfRun:    "SELECT row, last FROM runs WHERE id = ?1",
	findPlan:    "SELECT id FROM plans WHERE plan = ?1 AND kind = ?2 AND fingerprint = ?3 AND definition = ?4",
	insertPlan:  "INSERT INTO plans (plan, kind, fingerprint, definition) VALUES (?1, ?2, ?3, ?4)",
	insertRun: `INSERT INTO runs (run, plan, status, error, created, updated, waiting, driver, ready, labels, listed,
		queue, priority, notbefore, dedup, last, row, mark) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, 0, 1 + ` + lastMark + `)`,
	updateRun: `UPDATE runs SET plan = ?2, status = ?3, error = ?4, created = ?5, updated = ?6, waiting = ?7, driver = ?8,
		ready = ?9, labels = ?10, listed = ?11, queue = ?12, priority = ?13, notbefore = ?14, dedup = ?15, mark = 1 + ` + lastMark + ` WHERE id = ?1`,
	foldRun:     "UPDATE runs SET row = ?2, last = ?3 WHERE id = ?1 AND row < ?2",
	getFolded:   "SELECT folded FROM state",
	putFolded:   "UPDATE state SET folded = max(folded, ?1)",
	insertFrame: "INSERT INTO journal (id, run, last, back, data) VALUES (?1, ?2, ?3, ?4, ?5)",
	insertAlone: `INSERT INTO journal (id, run, last, back, data)
		VALUES (CASE (SELECT max(id) FROM journal) WHEN ?1 - 1 THEN ?1 ELSE 'taken' END, ?2, ?3, ?4, ?5)`,
	nameOfRun:        "SELECT run FROM runs WHERE id = ?1",
	rowsAfter:        "SELECT id, run, last FROM journal WHERE id > ?1 ORDER BY id",
	putCheckpoint:    "INSERT INTO checkpoints (id, seq, data) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET seq = ?2, data = ?3",
	getCheckpoint:    "SELECT c.seq, c.data FROM checkpoints c JOIN runs r ON r.id = c.id WHERE r.run = ?1",
	ownerOfInterrupt: "SELECT r.run FROM interrupts i JOIN runs r ON r.id = i.run WHERE i.interrupt = ?1",
	putInterrupt: `INSERT INTO interrupts (interrupt, run, opened, open, data, state, kind, role, holder, due)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
		ON CONFLICT (interrupt) DO UPDATE SET opened = ?3, open = ?4, data = ?5, state = ?6, kind = ?7, role = ?8, holder = ?9, due = ?10
		WHERE run = ?2`,
	refillInterrupt:  "UPDATE interrupts SET state = ?2, kind = ?3, role = ?4, holder = ?5, due = ?6 WHERE id = ?1",
	dataOfInterrupts: "SELECT id, interrupt, data FROM interrupts WHERE id > ?1 ORDER BY id LIMIT 256",
	plansNamed:       "SELECT id FROM plans WHERE plan IN (SELECT value FROM json_each(?1)) LIMIT 17",
	putTimer:         "INSERT INTO timers (run, timer, due) VALUES (?1, ?2, ?3) ON CONFLICT (run, timer) DO UPDATE SET due = ?3",
	deleteTimer:      "DELETE FROM timers WHERE run = ?1 AND timer = ?2",
	deleteFrames:     "DELETE FROM journal WHERE id IN (" + chain + "SELECT id FROM chain)",
	deleteCheckpoint: "DELETE FROM checkpoints WHERE id = ?1",
	deleteInterrupts: "DELETE FROM interrupts WHERE run = ?1",
	deleteTimers:     "DELETE FROM timers WHERE run = ?1",
	deleteRun:        "DELETE FROM runs WHERE id = ?1",
	readChain:        chain + "SELECT id FROM chain",
	readFrame:        "SELECT id, data FROM journal WHERE id = ?1",
	readFrames:       "SELECT id, data FROM journal WHERE id >= ?1 AND id <= ?2 AND run = ?3 ORDER BY id",
	readEnd: `SELECT id, last FROM journal WHERE run = ?1 AND id > (SELECT folded FROM state)
		UNION ALL SELECT row, last FROM runs WHERE id = ?1 ORDER BY 1 DESC LIMIT 1`,
	readLinks:    chain + "SELECT id, last, length(data), substr(data, 1, 1) FROM journal WHERE id IN (SELECT id FROM chain) ORDER BY id DESC",
	findLink:     "SELECT id FROM journal WHERE id = ?1 AND run = ?2 AND last = ?3",
	deletePacked: "DELETE FROM journal WHERE id IN (" + chain + "SELECT id FROM chain) AND id <> ?1",
	putPacked:    "UPDATE journal SET back = ?4, data = ?5 WHERE id = ?1 AND run = ?2 AND last = ?3",
	freePages:    "PRAGMA freelist_count",
	vacuum:       fmt.Sprintf("PRAGMA incremental_vacuum(%d)", giveBackPages),
	runByID:      runColumns + "r.run = ?5 AND (?6 = '' OR r.status = ?6) AND " + runFilter,
	runsByStatus: runColumns + "r.status = ?5 AND " + runFilter,
	runsAll:      runColumns + runFilter,
	inboxByID:    inboxColumns + " WHERE interrupt = ?1",
	inboxOfRun:   inboxColumns + " WHERE run = (SELECT id FROM runs WHERE run = ?1)" + inboxOrder,
	inboxOpen:    inboxColumns + " WHERE open = 1" + inboxOrder,
	inboxSize:    "SELECT count(*) FROM interrupts WHERE open = 1",
	inboxAll:     inboxColumns + inboxOrder,
	timersDue: `SELECT r.run, t.timer, t.due FROM timers t JOIN runs r ON r.id = t.run
		WHERE t.due <= ?1 ORDER BY t.due, r.run, t.timer LIMIT ?2`,
	putBeat:    "INSERT INTO drivers (driver, until) VALUES (?1, ?2) ON CONFLICT (driver) DO UPDATE SET until = ?2",
	deleteBeat: "DELETE FROM drivers WHERE driver = ?1",
	sweepBeats: "DELETE FROM drivers WHERE until <= ?1",
	getBeat:    "SELECT until FROM drivers WHERE driver = ?1",
	claimRun: `UPDATE runs SET driver = ?1 WHERE run = ?2 AND status IN ('running', 'paused', 'blocked') AND (driver IN ('', ?1)
		OR NOT EXISTS (SELECT 1 FROM drivers d WHERE d.driver = runs.driver AND d.until > ?3))`,
	runsDeserted: runColumns + deserted + "AND r.notbefore <= ?4 ORDER BY r.priority DESC, r.id LIMIT ?2",
	runsLater:    runColumns + deserted + "AND r.notbefore > 0 AND r.notbefore > ?4 ORDER BY r.notbefore, r.id LIMIT ?2",
	holderOf:     "SELECT run FROM runs WHERE dedup = ?1 AND dedup <> ''",
	driverOf:     "SELECT driver FROM runs WHERE run = ?1",
	getCell:      "SELECT value FROM cells WHERE name = ?1 AND name <> ''",
	listCells:    "SELECT name, value FROM cells WHERE substr(name, 1, length(?1)) = ?1 AND name <> '' ORDER BY name LIMIT ?2",
	putCell:      "INSERT INTO cells (name, value, version) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET value = ?2, version = ?3",
	deleteCell:   "DELETE FROM cells WHERE name = ?1",
	nextVersion:  "INSERT INTO cells (name, value, version) VALUES ('', x'', 1) ON CONFLICT (name) DO UPDATE SET version = version + 1 RETURNING version",
	lastVersion:  "SELECT version FROM cells WHERE name = ''",
	cellsAfter:   "SELECT name FROM cells WHERE version > ?1 AND name <> ''",
	driversAlive: "SELECT driver FROM drivers WHERE until > ?1 ORDER BY driver",
	feedOrder:    "SELECT store, forgotten, " + lastMark + " FROM feed",
	// readFeed has the columns of rowColumns behind the mark, and whether the run is gone.
	readFeed: `SELECT * FROM (SELECT r.mark, 0, ` + rowColumns + ` FROM runs r CROSS JOIN plans p
			WHERE r.listed = 1 AND p.id = r.plan AND (r.mark, r.id) > (?1, ?2) ORDER BY r.mark, r.id LIMIT ?3)
		UNION ALL SELECT * FROM (SELECT mark, 1, 0, run, plan, kind, '', '', '', '', 0, 0, 0, '', 0, labels, '', 0, 0, '', 0 FROM gone
			WHERE mark > ?1 AND mark >= ?4 ORDER BY mark LIMIT ?3)
		ORDER BY 1, 3 LIMIT ?3`,
}
