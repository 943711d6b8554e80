-- simple
CREATE TABLE IF NOT EXISTS gue_jobs
(
  job_id      TEXT        NOT NULL PRIMARY KEY,
  priority    SMALLINT    NOT NULL,
  run_at      TIMESTAMPTZ NOT NULL,
  job_type    TEXT        NOT NULL,
  args        BYTEA       NOT NULL,
  error_count INTEGER     NOT NULL DEFAULT 0,
  last_error  TEXT,
  queue       TEXT        NOT NULL,
  created_at  TIMESTAMPTZ NOT NULL,
  updated_at  TIMESTAMPTZ NOT NULL
);

CREATE INDEX IF NOT EXISTS idx_gue_jobs_selector ON gue_jobs (queue, run_at, priority);

-- extended
-- types: text,text,smallint,timestamp with time zone,text,bytea,timestamp with time zone,timestamp with time zone
-- parameters: $1 = '01M8M7N2G7FEYEWE2E70GR2Z0V', $2 = 'q', $3 = '0', $4 = '2026-11-29 18:04:09.095122+00', $5 = 't', $6 = '\x7b7d', $7 = '2026-11-29 18:04:09.095122+00', $8 = '2026-11-29 18:04:09.095122+00'
INSERT INTO gue_jobs
(job_id, queue, priority, run_at, job_type, args, created_at, updated_at)
VALUES
($1, $2, $3, $4, $5, $6, $7, $8)

-- simple
begin

-- extended
-- types: text,timestamp with time zone
-- parameters: $1 = 'q', $2 = '2026-11-29 18:04:09.097044+00'
SELECT job_id, queue, priority, run_at, job_type, args, error_count, last_error, created_at
FROM gue_jobs
WHERE queue = $1 AND run_at <= $2
ORDER BY priority ASC
LIMIT 1 FOR UPDATE SKIP LOCKED

-- extended
-- types: text
-- parameters: $1 = '01M8M7N2G7FEYEWE2E70GR2Z0V'
DELETE FROM gue_jobs WHERE job_id = $1

-- simple
commit

-- extended
-- types: integer,timestamp with time zone,text,timestamp with time zone,text
-- parameters: $1 = '1', $2 = '2026-11-29 18:04:10.787423+00', $3 = 'no', $4 = '2026-11-29 18:04:09.103708+00', $5 = '01M8M7N2GC80KF4T7CQ5QPG7YX'
UPDATE gue_jobs SET error_count = $1, run_at = $2, last_error = $3, updated_at = $4 WHERE job_id = $5

-- simple
rollback

