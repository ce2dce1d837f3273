package sqlite

// Marks of a file of ours, in SQLite's header.
const (
	applicationID = 0x4665726D // "Ferm"
	schemaVersion = 1
)

// schema makes an empty file ours.
//
// A frame's key is its run's number << 32 and the seq of its last entry: one tree, in which a run's head is the last
// key below that of the next run. Numbers of runs are never used again, so a number that a process remembers is that
// run or none.
const schema = `
CREATE TABLE runs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	run TEXT NOT NULL UNIQUE,
	plan TEXT NOT NULL,
	kind TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	definition TEXT NOT NULL,
	status TEXT NOT NULL,
	error TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	waiting INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_status ON runs (status);
CREATE TABLE journal (
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;
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
	data BLOB NOT NULL
) STRICT;
CREATE INDEX interrupts_run ON interrupts (run);
CREATE INDEX interrupts_open ON interrupts (opened, interrupt) WHERE open = 1;
CREATE TABLE timers (
	run INTEGER NOT NULL,
	timer TEXT NOT NULL,
	due INTEGER NOT NULL,
	PRIMARY KEY (run, timer)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due);
`

// query is a statement that connections keep prepared.
type query int

const (
	begin query = iota
	commit
	rollback
	dataVersion
	findRun
	insertRun
	updateRun
	head
	insertFrame
	insertFirst
	putCheckpoint
	getCheckpoint
	ownerOfInterrupt
	putInterrupt
	putTimer
	deleteTimer
	deleteFrames
	deleteCheckpoint
	deleteInterrupts
	deleteTimers
	deleteRun
	readFrames
	runByID
	runsByStatus
	runsAll
	inboxByID
	inboxOfRun
	inboxOpen
	inboxAll
	timersDue
	queries // how many there are
)

// Parts of queries.
const (
	frameOfRun = "(SELECT id FROM journal WHERE id >= ?1 AND id < ?1 + 4294967296 ORDER BY id DESC LIMIT 1)"
	runColumns = `SELECT run, plan, kind, fingerprint, definition, status, error, created, updated, waiting,
		(SELECT j.id FROM journal j WHERE j.id < (r.id + 1) << 32 ORDER BY j.id DESC LIMIT 1) & 4294967295 FROM runs r`
	runFilter = ` (?1 = '' OR plan = ?1) AND (?2 = '' OR kind = ?2) AND (kind = 'definition') = ?3
		ORDER BY r.id DESC LIMIT ?4`
	inboxColumns = "SELECT interrupt, data FROM interrupts"
	inboxOrder   = " ORDER BY opened, interrupt"
)

// sql is the text of each query. A frame is inserted only after the head that its writer knows: otherwise its key is
// no integer, which SQLite refuses.
var sql = [queries]string{
	begin:       "BEGIN IMMEDIATE",
	commit:      "COMMIT",
	rollback:    "ROLLBACK",
	dataVersion: "PRAGMA data_version",
	findRun:     "SELECT id FROM runs WHERE run = ?1",
	insertRun: `INSERT INTO runs (run, plan, kind, fingerprint, definition, status, error, created, updated, waiting)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
	updateRun: `UPDATE runs SET plan = ?2, kind = ?3, fingerprint = ?4, definition = ?5, status = ?6, error = ?7,
		created = ?8, updated = ?9, waiting = ?10 WHERE id = ?1`,
	head:             "SELECT id FROM journal WHERE id >= ?1 AND id < ?1 + 4294967296 ORDER BY id DESC LIMIT 1",
	insertFrame:      "INSERT INTO journal (id, data) VALUES (CASE " + frameOfRun + " WHEN ?2 THEN ?3 ELSE 'conflict' END, ?4)",
	insertFirst:      "INSERT INTO journal (id, data) VALUES (?1, ?2)",
	putCheckpoint:    "INSERT INTO checkpoints (id, seq, data) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET seq = ?2, data = ?3",
	getCheckpoint:    "SELECT c.seq, c.data FROM checkpoints c JOIN runs r ON r.id = c.id WHERE r.run = ?1",
	ownerOfInterrupt: "SELECT r.run FROM interrupts i JOIN runs r ON r.id = i.run WHERE i.interrupt = ?1",
	putInterrupt: `INSERT INTO interrupts (interrupt, run, opened, open, data) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (interrupt) DO UPDATE SET opened = ?3, open = ?4, data = ?5`,
	putTimer:         "INSERT INTO timers (run, timer, due) VALUES (?1, ?2, ?3) ON CONFLICT (run, timer) DO UPDATE SET due = ?3",
	deleteTimer:      "DELETE FROM timers WHERE run = ?1 AND timer = ?2",
	deleteFrames:     "DELETE FROM journal WHERE id >= ?1 AND id < ?1 + 4294967296",
	deleteCheckpoint: "DELETE FROM checkpoints WHERE id = ?1",
	deleteInterrupts: "DELETE FROM interrupts WHERE run = ?1",
	deleteTimers:     "DELETE FROM timers WHERE run = ?1",
	deleteRun:        "DELETE FROM runs WHERE id = ?1",
	readFrames:       "SELECT id, data FROM journal WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3",
	runByID:          runColumns + " WHERE r.run = ?5 AND (?6 = '' OR status = ?6) AND" + runFilter,
	runsByStatus:     runColumns + " WHERE status = ?5 AND" + runFilter,
	runsAll:          runColumns + " WHERE" + runFilter,
	inboxByID:        inboxColumns + " WHERE interrupt = ?1",
	inboxOfRun:       inboxColumns + " WHERE run = (SELECT id FROM runs WHERE run = ?1)" + inboxOrder,
	inboxOpen:        inboxColumns + " WHERE open = 1" + inboxOrder,
	inboxAll:         inboxColumns + inboxOrder,
	timersDue: `SELECT r.run, t.timer, t.due FROM timers t JOIN runs r ON r.id = t.run
		WHERE t.due <= ?1 ORDER BY t.due, r.run, t.timer LIMIT ?2`,
}
