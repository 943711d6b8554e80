package main

import (
	"context"
	"fmt"
	"time"

	watermill "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

var watermillLibrary = library{
	module: "github.com/ThreeDotsLabs/watermill-sql/v4",
	program: cell.Program{
		ID: "watermill", Summary: "ThreeDotsLabs/watermill-sql: messages in order, each handled in the transaction that notes it", Flawed: true,
		Stores: []stage.Store{mysql.Schema(
			"CREATE TABLE watermill_orders (`offset` BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, uuid VARCHAR(36) NOT NULL, payload JSON, metadata JSON)",
			"CREATE TABLE handled (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, message VARCHAR(36) NOT NULL)",
			"INSERT INTO watermill_orders (uuid, payload, metadata) VALUES ('1', '{}', '{}'), ('2', '{}', '{}'), ('3', '{}', '{}')")},
		Main: consume,
		Finally: func(p *cell.Process) error {
			more, err := countRows(p.Context(), mysql.Connect(p), "SELECT (SELECT COUNT(*) FROM handled) - "+
				"COALESCE((SELECT offset_acked FROM watermill_offsets_orders WHERE consumer_group = ''), 0)")
			if err == nil && more != 0 {
				err = fmt.Errorf("%d more messages were handled than are noted", more)
			}
			return err
		},
	},
	expected: violates("watermill", "When a handler fails, the message is handed over again in the same transaction. If MySQL has rolled that back, because of a deadlock, "+
		"what it did before is lost, and noted nevertheless.", endsWell),
}

func consume(p *cell.Process) error {
	config := watermill.SubscriberConfig{SchemaAdapter: watermill.DefaultMySQLSchema{}, OffsetsAdapter: watermill.DefaultMySQLOffsetsAdapter{}, InitializeSchema: true}
	config.AckDeadline = new(time.Duration)
	s, err := watermill.NewSubscriber(watermill.BeginnerFromStdSQL(mysql.Connect(p)), config, nil)
	if err != nil {
		return err
	}
	// It ends between messages, and has no deadline: to end a transaction within a statement, database/sql waits for a mutex.
	ctx, end := context.WithCancel(context.Background())
	busy := make(chan struct{}, 1)
	context.AfterFunc(p.Context(), func() { busy <- struct{}{}; end(); <-busy })
	messages, err := s.Subscribe(ctx, "orders")
	if err != nil {
		p.Event("does not subscribe", err)
		return nil
	}
	for m := range messages {
		busy <- struct{}{}
		tx, _ := watermill.TxFromContext(m.Context())
		if _, err := tx.ExecContext(ctx, "INSERT INTO handled (message) VALUES (?)", m.UUID); err == nil {
			m.Ack()
		} else if ctx.Err() == nil { // a message may come with the end: its goroutine then finds both ready
			p.Event("fails", err)
			m.Nack()
		}
		<-busy
	}
	return nil
}
