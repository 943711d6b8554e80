-- simple
begin

-- extended
-- types: text
-- parameters: $1 = 'river_migration'
-- name: TableExists :one
SELECT CASE WHEN to_regclass($1) IS NULL THEN false
            ELSE true END

-- simple
CREATE TABLE river_migration(
  id bigserial PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT NOW(),
  version bigint NOT NULL,
  CONSTRAINT version CHECK (version >= 1)
);

CREATE UNIQUE INDEX ON river_migration USING btree(version);

-- simple
CREATE TYPE river_job_state AS ENUM(
  'available',
  'cancelled',
  'completed',
  'discarded',
  'retryable',
  'running',
  'scheduled'
);

CREATE TABLE river_job(
  -- 8 bytes
  id bigserial PRIMARY KEY,

  -- 8 bytes (4 bytes + 2 bytes + 2 bytes)
  --
  -- `state` is kept near the top of the table for operator convenience -- when
  -- looking at jobs with `SELECT *` it'll appear first after ID. The other two
  -- fields aren't as important but are kept adjacent to `state` for alignment
  -- to get an 8-byte block.
  state river_job_state NOT NULL DEFAULT 'available' ::river_job_state,
  attempt smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL,

  -- 8 bytes each (no alignment needed)
  attempted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT NOW(),
  finalized_at timestamptz,
  scheduled_at timestamptz NOT NULL DEFAULT NOW(),

  -- 2 bytes (some wasted padding probably)
  priority smallint NOT NULL DEFAULT 1,

  -- types stored out-of-band
  args jsonb,
  attempted_by text[],
  errors jsonb[],
  kind text NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}' ::jsonb,
  queue text NOT NULL DEFAULT 'default' ::text,
  tags varchar(255)[],

  CONSTRAINT finalized_or_finalized_at_null CHECK ((state IN ('cancelled', 'completed', 'discarded') AND finalized_at IS NOT NULL) OR finalized_at IS NULL),
  CONSTRAINT max_attempts_is_positive CHECK (max_attempts > 0),
  CONSTRAINT priority_in_range CHECK (priority >= 1 AND priority <= 4),
  CONSTRAINT queue_length CHECK (char_length(queue) > 0 AND char_length(queue) < 128),
  CONSTRAINT kind_length CHECK (char_length(kind) > 0 AND char_length(kind) < 128)
);

-- We may want to consider adding another property here after `kind` if it seems
-- like it'd be useful for something.
CREATE INDEX river_job_kind ON river_job USING btree(kind);

CREATE INDEX river_job_state_and_finalized_at_index ON river_job USING btree(state, finalized_at) WHERE finalized_at IS NOT NULL;

CREATE INDEX river_job_prioritized_fetching_index ON river_job USING btree(state, queue, priority, scheduled_at, id);

CREATE INDEX river_job_args_index ON river_job USING GIN(args);

CREATE INDEX river_job_metadata_index ON river_job USING GIN(metadata);

CREATE OR REPLACE FUNCTION river_job_notify()
  RETURNS TRIGGER
  AS $$
DECLARE
  payload json;
BEGIN
  IF NEW.state = 'available' THEN
    -- Notify will coalesce duplicate notificiations within a transaction, so
    -- keep these payloads generalized:
    payload = json_build_object('queue', NEW.queue);
    PERFORM
      pg_notify('river_insert', payload::text);
  END IF;
  RETURN NULL;
END;
$$
LANGUAGE plpgsql;

CREATE TRIGGER river_notify
  AFTER INSERT ON river_job
  FOR EACH ROW
  EXECUTE PROCEDURE river_job_notify();

CREATE UNLOGGED TABLE river_leader(
  -- 8 bytes each (no alignment needed)
  elected_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,

  -- types stored out-of-band
  leader_id text NOT NULL,
  name text PRIMARY KEY,

  CONSTRAINT name_length CHECK (char_length(name) > 0 AND char_length(name) < 128),
  CONSTRAINT leader_id_length CHECK (char_length(leader_id) > 0 AND char_length(leader_id) < 128)
);

-- simple
ALTER TABLE river_job ALTER COLUMN tags SET DEFAULT '{}';
UPDATE river_job SET tags = '{}' WHERE tags IS NULL;
ALTER TABLE river_job ALTER COLUMN tags SET NOT NULL;

-- extended
-- types: bigint[]
-- parameters: $1 = '{1,2,3}'
-- name: RiverMigrationInsertMany :many
INSERT INTO river_migration (
  version
)
SELECT
  unnest($1::bigint[])
RETURNING id, created_at, version

-- simple
commit

-- simple
SELECT 1

-- extended
-- types: text
-- parameters: $1 = 'default'
-- name: LeadershipDeleteExpired :exec
DELETE FROM river_leader
WHERE name = $1::text
  AND expires_at < now()

-- extended
-- types: text,text,interval
-- parameters: $1 = 'default', $2 = '01M8M7QT5ZVQJRTAC8PBPYRK7V', $3 = '00:00:15'
-- name: LeadershipAttemptElect :execrows
INSERT INTO river_leader(name, leader_id, elected_at, expires_at)
  VALUES ($1::text, $2::text, now(), now() + $3::interval)
ON CONFLICT (name)
  DO NOTHING

-- simple
LISTEN river_leadership

-- simple
LISTEN river_job_control

-- simple
LISTEN river_insert

-- extended
-- types: timestamp with time zone,timestamp with time zone,timestamp with time zone,bigint
-- parameters: $1 = '2026-11-28 18:05:39.073136+00', $2 = '2026-11-28 18:05:39.073136+00', $3 = '2026-11-22 18:05:39.073136+00', $4 = '1000'
-- name: JobDeleteBefore :one
WITH deleted_jobs AS (
  DELETE FROM
    river_job
  WHERE
    id IN (
      SELECT
        id
      FROM
        river_job
      WHERE
        (state = 'cancelled' AND finalized_at < $1::timestamptz) OR
        (state = 'completed' AND finalized_at < $2::timestamptz) OR
        (state = 'discarded' AND finalized_at < $3::timestamptz)
      ORDER BY id
      LIMIT $4::bigint
    )
  RETURNING id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
)
SELECT
  count(*)
FROM
  deleted_jobs

-- extended
-- types: text,text,integer
-- parameters: $1 = '01M8M7QT5ZVQJRTAC8PBPYRK7V', $2 = 'default', $3 = '2'
-- name: JobGetAvailable :many
WITH locked_jobs AS (
  SELECT
    id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
  FROM
    river_job
  WHERE
    state = 'available'::river_job_state
    AND queue = $2::text
    AND scheduled_at <= now()
  ORDER BY
    priority ASC,
    scheduled_at ASC,
    id ASC
  LIMIT $3::integer
  FOR UPDATE
    SKIP LOCKED)
UPDATE
  river_job
SET
  state = 'running'::river_job_state,
  attempt = river_job.attempt + 1,
  attempted_at = now(),
  attempted_by = array_append(river_job.attempted_by, $1::text)
FROM
  locked_jobs
WHERE
  river_job.id = locked_jobs.id
RETURNING
  river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags

-- simple
copy "river_job" ( "args", "errors", "kind", "max_attempts", "metadata", "priority", "queue", "scheduled_at", "state", "tags" ) from stdin binary;

-- extended
-- types: river_job_state,bigint,boolean,timestamp with time zone,boolean,jsonb,boolean,smallint,boolean,timestamp with time zone
-- parameters: $1 = 'completed', $2 = '1', $3 = 't', $4 = '2026-11-29 18:05:40.052149+00', $5 = 'f', $6 = NULL, $7 = 'f', $8 = '0', $9 = 'f', $10 = '0001-01-01 00:00:00+00'
-- name: JobSetStateIfRunning :one
WITH job_to_update AS (
    SELECT
      id,
      $1::river_job_state IN ('retryable'::river_job_state, 'scheduled'::river_job_state) AND metadata ? 'cancel_attempted_at' AS should_cancel
    FROM river_job
    WHERE id = $2::bigint
    FOR UPDATE
),
updated_job AS (
    UPDATE river_job
    SET
      state        = CASE WHEN should_cancel                                          THEN 'cancelled'::river_job_state
                          ELSE $1::river_job_state END,
      finalized_at = CASE WHEN should_cancel                                          THEN now()
                          WHEN $3::boolean                       THEN $4
                          ELSE finalized_at END,
      errors       = CASE WHEN $5::boolean                              THEN array_append(errors, $6::jsonb)
                          ELSE errors       END,
      max_attempts = CASE WHEN NOT should_cancel AND $7::boolean    THEN $8
                          ELSE max_attempts END,
      scheduled_at = CASE WHEN NOT should_cancel AND $9::boolean THEN $10
                          ELSE scheduled_at END
    FROM job_to_update
    WHERE river_job.id = job_to_update.id
        AND river_job.state = 'running'::river_job_state
    RETURNING river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags
)
SELECT id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
FROM river_job
WHERE id = $2::bigint
    AND id NOT IN (SELECT id FROM updated_job)
UNION
SELECT id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
FROM updated_job

-- extended
-- types: timestamp with time zone,integer
-- parameters: $1 = '2026-11-29 17:05:41.01195+00', $2 = '1000'
-- name: JobGetStuck :many
SELECT
  id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
FROM
  river_job
WHERE
  state = 'running'::river_job_state
  AND attempted_at < $1::timestamptz
LIMIT $2::integer

-- extended
-- types: bigint[],jsonb[],timestamp with time zone[],timestamp with time zone[],text[]
-- parameters: $1 = '{}', $2 = '{}', $3 = '{}', $4 = '{}', $5 = '{}'
-- name: JobRescueMany :exec
UPDATE river_job
SET
  errors = array_append(errors, updated_job.error),
  finalized_at = updated_job.finalized_at,
  scheduled_at = updated_job.scheduled_at,
  state = updated_job.state
FROM (
  SELECT
    unnest($1::bigint[]) AS id,
    unnest($2::jsonb[]) AS error,
    nullif(unnest($3::timestamptz[]), '0001-01-01 00:00:00 +0000') AS finalized_at,
    unnest($4::timestamptz[]) AS scheduled_at,
    unnest($5::text[])::river_job_state AS state
) AS updated_job
WHERE river_job.id = updated_job.id

-- simple
-- ping

-- extended
-- types: text,timestamp with time zone,bigint
-- parameters: $1 = 'river_insert', $2 = '2026-11-29 18:05:41.947591+00', $3 = '10000'
-- name: JobSchedule :one
WITH jobs_to_schedule AS (
  SELECT id
  FROM river_job
  WHERE
    state IN ('scheduled', 'retryable')
    AND queue IS NOT NULL
    AND priority >= 0
    AND scheduled_at <= $2::timestamptz
  ORDER BY
    priority,
    scheduled_at,
    id
  LIMIT $3::bigint
  FOR UPDATE
),
river_job_scheduled AS (
  UPDATE river_job
  SET state = 'available'::river_job_state
  FROM jobs_to_schedule
  WHERE river_job.id = jobs_to_schedule.id
  RETURNING jobs_to_schedule.id, river_job.id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
)
SELECT count(*)
FROM (
SELECT pg_notify($1, json_build_object('queue', queue)::text)
FROM river_job_scheduled) AS notifications_sent

-- extended
-- types: text,text,interval
-- parameters: $1 = 'default', $2 = '01M8M7QT5ZVQJRTAC8PBPYRK7V', $3 = '00:00:15'
-- name: LeadershipAttemptReelect :execrows
INSERT INTO river_leader(name, leader_id, elected_at, expires_at)
  VALUES ($1::text, $2::text, now(), now() + $3::interval)
ON CONFLICT (name)
  DO UPDATE SET
    expires_at = now() + $3::interval
  WHERE
    river_leader.leader_id = $2::text

-- extended
-- types: text,text,text
-- parameters: $1 = 'default', $2 = '01M8M7QT5ZVQJRTAC8PBPYRK7V', $3 = 'river_leadership'
-- name: LeadershipResign :exec
WITH currently_held_leaders AS (
  SELECT
    elected_at, expires_at, leader_id, name
  FROM
    river_leader
  WHERE
    name = $1::text
    AND leader_id = $2::text
  FOR UPDATE
),
notified_resignations AS (
  SELECT
    pg_notify($3, json_build_object('name', name, 'leader_id', leader_id, 'action', 'resigned')::text),
    currently_held_leaders.name
  FROM
    currently_held_leaders)
DELETE FROM river_leader USING notified_resignations
WHERE river_leader.name = notified_resignations.name

