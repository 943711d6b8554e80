// Package controllerruntime makes controller-runtime's manager, unmodified, elect its leader against the simulated API servers of
// package kube. It is a module of its own: controller-runtime is large. [Options] has the options of a manager for a run, which a
// program gives to manager.New with the configuration of clientgo.Config:
//
//	Main: func(p *locktest.Process) error {
//		config := clientgo.Config(p)
//		options, err := controllerruntime.Options(config, "default", "leader", fmt.Sprint(p.Name(), "_", p.Life()))
//		if err != nil {
//			return err
//		}
//		options.LeaderElectionReleaseOnCancel = true // and what else your operator sets
//		m, err := manager.New(config, options)
//		...
//		return m.Start(p.Context()) // no signal handler
//	},
//
// A manager that loses its Lease returns at once, and does not wait for what it has started: in a cluster, the process should end
// then. A Main that returns an error is a finding, so it makes another manager instead. Package operators has an example.
//
// # What it does not do
//
// The servers have Leases alone: caches of other objects, events and webhooks are refused by name, or not started. Controllers need
// informers, so they cannot run; runnables that are given to Manager.Add do. See package clientgo for what it does with time.
//
// # Threads
//
// A manager belongs to its process.
package controllerruntime
