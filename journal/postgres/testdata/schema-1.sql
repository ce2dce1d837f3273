-- A schema of version 1, as it was before runs named their drivers, with the runs of
-- journal/journaltest/testdata/runs-before-drivers.json. SCHEMA stands for its name.
CREATE TABLE SCHEMA.checkpoints (
    run bigint NOT NULL,
    seq bigint NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE SCHEMA.format (
    id integer NOT NULL,
    version integer NOT NULL,
    CONSTRAINT format_id_check CHECK ((id = 1))
);
CREATE TABLE SCHEMA.interrupts (
    id bigint NOT NULL,
    interrupt text NOT NULL COLLATE pg_catalog."C",
    run bigint NOT NULL,
    opened bigint NOT NULL,
    open boolean NOT NULL,
    role text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL
);
ALTER TABLE SCHEMA.interrupts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME SCHEMA.interrupts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE SCHEMA.journal (
    run bigint NOT NULL,
    last bigint NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY SCHEMA.journal ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE SCHEMA.runs (
    id bigint NOT NULL,
    run text NOT NULL COLLATE pg_catalog."C",
    head bigint NOT NULL,
    plan text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    definition text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    error bytea NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    waiting bigint NOT NULL
)
WITH (fillfactor='60');
ALTER TABLE SCHEMA.runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME SCHEMA.runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE SCHEMA.timers (
    run bigint NOT NULL,
    timer text NOT NULL COLLATE pg_catalog."C",
    due bigint NOT NULL
);
INSERT INTO SCHEMA.format VALUES (1, 1);
INSERT INTO SCHEMA.interrupts OVERRIDING SYSTEM VALUE VALUES (1, 'int_1', 2, 1700000000000002, true, 'clerk', '\x017b22726571756573744964223a22696e745f31222c2272756e223a2272756e5f61736b73222c227461736b223a22776f726b2331222c226f70223a22696e746572727570743a61736b2331222c2270726f6d7074223a22476f206f6e3f222c227265717569726564526f6c65223a22636c65726b222c226f70656e6564223a313730303030303030303030303030322c227374617465223a226f70656e227d');
INSERT INTO SCHEMA.journal VALUES (1, 2, '\x01020101ca088280f28183898506077b226e223a317d09146f6c64221766227d0a070004776f726b0202260580c1');
INSERT INTO SCHEMA.journal VALUES (2, 2, '\x01020101ca088280f28183898506077b226e223a317d09146f6c64221766227d0a070004776f726b0202260580c1');
INSERT INTO SCHEMA.journal VALUES (3, 3, '\x01030101ca088280f28183898506077b226e223a317d09146f6c64221766227d0a070004776f726b0202044a02077b226e223a327d167b22737461747573223a22636f6d706c65746564227d626b94f1');
INSERT INTO SCHEMA.runs OVERRIDING SYSTEM VALUE VALUES (1, 'run_cut', 2, 'old', 'graph', 'f', '', 'running', '\x', 1700000000000001, 1700000000000009, 0);
INSERT INTO SCHEMA.runs OVERRIDING SYSTEM VALUE VALUES (2, 'run_asks', 2, 'old', 'graph', 'f', '', 'paused', '\x', 1700000000000001, 1700000000000009, 1);
INSERT INTO SCHEMA.runs OVERRIDING SYSTEM VALUE VALUES (3, 'run_done', 3, 'old', 'graph', 'f', '', 'completed', '\x', 1700000000000001, 1700000000000009, 0);
INSERT INTO SCHEMA.timers VALUES (2, 'int_1', 1800000000000000);
SELECT pg_catalog.setval('SCHEMA.interrupts_id_seq', 1, true);
SELECT pg_catalog.setval('SCHEMA.runs_id_seq', 3, true);
ALTER TABLE ONLY SCHEMA.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (run);
ALTER TABLE ONLY SCHEMA.format
    ADD CONSTRAINT format_pkey PRIMARY KEY (id);
ALTER TABLE ONLY SCHEMA.interrupts
    ADD CONSTRAINT interrupts_interrupt_key UNIQUE (interrupt);
ALTER TABLE ONLY SCHEMA.interrupts
    ADD CONSTRAINT interrupts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY SCHEMA.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (run, last);
ALTER TABLE ONLY SCHEMA.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY SCHEMA.runs
    ADD CONSTRAINT runs_run_key UNIQUE (run);
ALTER TABLE ONLY SCHEMA.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (run, timer);
CREATE INDEX interrupts_open ON SCHEMA.interrupts USING btree (opened, id) WHERE open;
CREATE INDEX interrupts_run ON SCHEMA.interrupts USING btree (run);
CREATE INDEX runs_status ON SCHEMA.runs USING btree (status, id);
CREATE INDEX timers_due ON SCHEMA.timers USING btree (due);
