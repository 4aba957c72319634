; SPDX-License-Identifier: Apache-2.0
; What TAMP can do, as symbols. Geometry and perception fill in the facts that never change while one plans: what
; obstructs or blocks what, what is behind which drawer or door, and what is wanted where.
(define (domain errand)
  (:requirements :strips :typing :negative-preconditions :universal-preconditions :disjunctive-preconditions)
  (:types item)
  (:predicates
    (empty) (holding ?x - item) (resting ?x - item) (at ?x ?p - item)
    (moved ?x - item) (opened ?d - item) (part ?d - item)
    (obstructs ?y ?x - item) (blocks ?y ?x ?p - item) (behind ?d ?x - item)
    (to_place ?x ?p - item) (to_stack ?x ?p - item) (to_put_in ?x ?p - item))

  (:action pick
    :parameters (?x - item)
    :precondition (and (empty) (resting ?x)
      (forall (?y - item) (or (not (obstructs ?y ?x)) (moved ?y)))
      (forall (?d - item) (or (not (behind ?d ?x)) (opened ?d))))
    :effect (and (holding ?x) (moved ?x) (not (empty)) (not (resting ?x))))

  (:action place
    :parameters (?x ?p - item)
    :precondition (and (holding ?x) (to_place ?x ?p)
      (forall (?y - item) (or (not (blocks ?y ?x ?p)) (moved ?y))))
    :effect (and (at ?x ?p) (resting ?x) (empty) (not (holding ?x))))

  (:action stack
    :parameters (?x ?p - item)
    :precondition (and (holding ?x) (to_stack ?x ?p)
      (forall (?y - item) (or (not (blocks ?y ?x ?p)) (moved ?y))))
    :effect (and (at ?x ?p) (resting ?x) (empty) (not (holding ?x))))

  (:action put_in
    :parameters (?x ?p - item)
    :precondition (and (holding ?x) (to_put_in ?x ?p)
      (forall (?y - item) (or (not (blocks ?y ?x ?p)) (moved ?y)))
      (forall (?d - item) (or (not (behind ?d ?p)) (opened ?d))))
    :effect (and (at ?x ?p) (resting ?x) (empty) (not (holding ?x))))

  (:action move_aside
    :parameters (?x - item)
    :precondition (holding ?x)
    :effect (and (resting ?x) (empty) (not (holding ?x))))

  (:action open
    :parameters (?d - item)
    :precondition (and (empty) (part ?d)
      (forall (?y - item) (or (not (obstructs ?y ?d)) (moved ?y))))
    :effect (opened ?d)))
