-- Views of a monitor's store for Grafana and other charts, in SQL that SQLite and PostgreSQL both understand:
--   sqlite3 calls.db < examples/grafana/views.sql        psql "$URL" -f examples/grafana/views.sql
-- `time` is in seconds since 1970, in UTC. `segment` is '' for all rows together.
-- Running this again replaces the views. They hold no data; shiftproof does not use them.

DROP VIEW IF EXISTS monitor_accuracy;
CREATE VIEW monitor_accuracy AS
SELECT batches.at / 1000000 AS time,
       monitors.name AS monitor,
       figures.segment AS segment,
       batches.id AS batch,
       batches.n_rows AS n_rows,
       figures.estimate AS estimate,
       figures.low AS low,
       figures.high AS high,
       CAST(monitors.settings ->> 'floor' AS DOUBLE PRECISION) AS floor
FROM figures
JOIN batches ON batches.number = figures.batch_number
JOIN monitors ON monitors.id = batches.monitor_id
WHERE figures.quantity = 'accuracy';

-- The estimated share of each class.
DROP VIEW IF EXISTS monitor_shares;
CREATE VIEW monitor_shares AS
SELECT batches.at / 1000000 AS time,
       monitors.name AS monitor,
       figures.segment AS segment,
       batches.id AS batch,
       figures.subject AS label,
       figures.estimate AS estimate,
       figures.low AS low,
       figures.high AS high
FROM figures
JOIN batches ON batches.number = figures.batch_number
JOIN monitors ON monitors.id = batches.monitor_id
WHERE figures.quantity = 'share';

-- The evidence of each alarm after each batch: a logarithm, which rises on the way to an alarm.
DROP VIEW IF EXISTS monitor_evidence;
CREATE VIEW monitor_evidence AS
SELECT batches.at / 1000000 AS time,
       monitors.name AS monitor,
       figures.segment AS segment,
       batches.id AS batch,
       figures.subject AS level,
       figures.estimate AS log_evidence
FROM figures
JOIN batches ON batches.number = figures.batch_number
JOIN monitors ON monitors.id = batches.monitor_id
WHERE figures.quantity = 'evidence';

-- How far each column is from the reference, and its missing and unseen values.
DROP VIEW IF EXISTS monitor_columns;
CREATE VIEW monitor_columns AS
SELECT batches.at / 1000000 AS time,
       monitors.name AS monitor,
       column_figures.segment AS segment,
       batches.id AS batch,
       column_figures.name AS name,
       column_figures.distance AS distance,
       column_figures.missing AS missing,
       column_figures.unseen AS unseen
FROM column_figures
JOIN batches ON batches.number = column_figures.batch_number
JOIN monitors ON monitors.id = batches.monitor_id;

-- Incidents: when they probably began, when the alarm was raised, when the data were back, when somebody closed them.
-- state is 'open', 'recovered' or 'acknowledged'.
DROP VIEW IF EXISTS monitor_incidents;
CREATE VIEW monitor_incidents AS
SELECT raised.at / 1000000 AS time,
       monitors.name AS monitor,
       incidents.segment AS segment,
       incidents.number AS incident,
       incidents.level AS level,
       began.at / 1000000 AS began,
       recovered.at / 1000000 AS recovered,
       incidents.acknowledged / 1000000 AS acknowledged,
       CASE
           WHEN incidents.acknowledged IS NOT NULL THEN 'acknowledged'
           WHEN incidents.recovered_number IS NOT NULL THEN 'recovered'
           ELSE 'open'
       END AS state,
       incidents.columns AS blamed,
       incidents.reason AS reason
FROM incidents
JOIN monitors ON monitors.id = incidents.monitor_id
JOIN batches AS raised ON raised.number = incidents.batch_number
JOIN batches AS began ON began.number = incidents.likeliest_number
LEFT JOIN batches AS recovered ON recovered.number = incidents.recovered_number;

-- Alerts and what became of them; those with delivered NULL wait.
DROP VIEW IF EXISTS monitor_alerts;
CREATE VIEW monitor_alerts AS
SELECT outbox.created / 1000000 AS time,
       monitors.name AS monitor,
       channels.name AS channel,
       outbox.incident_number AS incident,
       outbox.event AS event,
       outbox.attempts AS attempts,
       outbox.delivered / 1000000 AS delivered,
       outbox.error AS error
FROM outbox
JOIN channels ON channels.number = outbox.channel_number
JOIN monitors ON monitors.id = channels.monitor_id;
