//! Silence counts for one thread; another asks the kernel, and gets a ring of its own if it stays.

use super::*;

/// A selector with a pipe that is registered for reading, which goes from thread to thread.
struct Scene {
    selector: Selector<()>,
    pipe: Pipe,
}

impl Scene {
    fn new() -> Self {
        let selector = selector_by(Policy::Eager);
        let pipe = pipe();
        pipe.source.register(&selector, Ops::READ, ()).unwrap();
        Self { selector, pipe }
    }

    /// However few looks there have been.
    fn hears(&mut self) {
        (&self.pipe.sink).write_all(b"x").unwrap();
        for _ in 0..3 {
            self.selector.selected_keys().clear();
            assert_eq!(self.selector.select_now().unwrap(), 1);
        }
        assert_eq!(read_all(&self.pipe.source), b"x");
        self.selector.selected_keys().clear();
        assert_eq!(self.selector.select_now().unwrap(), 0);
    }

    /// As many looks as another thread must make to be believed to stay.
    fn stays(&mut self) {
        for _ in 0..100 {
            assert_eq!(self.selector.select_now().unwrap(), 0);
        }
        arm(&mut self.selector);
    }
}

fn elsewhere(scene: &mut Scene, act: impl FnOnce(&mut Scene) + Send) {
    thread::scope(|scope| {
        scope.spawn(|| act(scene));
    });
}

#[test]
fn a_thread_that_stays_gets_a_ring_of_its_own() {
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    scene.stays();
    assert_eq!(scene.selector.doorbell().rings, 1);
    elsewhere(&mut scene, Scene::stays);
    assert_eq!(scene.selector.doorbell().rings, 2);
    scene.stays();
    assert_eq!(scene.selector.doorbell().rings, 3);
    scene.hears();
}

/// What has rung was not heard by the thread for which it rang.
#[test]
fn what_has_rung_is_found_by_whoever_comes_next() {
    if !can_be_had() {
        return;
    }
    for looks in 0..100 {
        let mut scene = Scene::new();
        scene.stays();
        (&scene.pipe.sink).write_all(b"x").unwrap();
        elsewhere(&mut scene, |scene| {
            assert_eq!(scene.selector.select_now().unwrap(), 1);
            assert_eq!(read_all(&scene.pipe.source), b"x");
            scene.selector.selected_keys().clear();
            for _ in 0..looks {
                assert_eq!(scene.selector.select_now().unwrap(), 0);
            }
            (&scene.pipe.sink).write_all(b"x").unwrap();
        });
        assert_eq!(scene.selector.select_now().unwrap(), 1);
        assert_eq!(read_all(&scene.pipe.source), b"x");
        scene.hears();
    }
}

/// Another thread has asked the kernel while it was silent here.
#[test]
fn silence_ends_when_another_thread_has_looked() {
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    scene.stays();
    for looks in 0..20 {
        elsewhere(&mut scene, |scene| {
            for _ in 0..looks {
                assert_eq!(scene.selector.select_now().unwrap(), 0);
            }
            (&scene.pipe.sink).write_all(b"x").unwrap();
            assert_eq!(scene.selector.select_now().unwrap(), 1);
        });
        scene.selector.selected_keys().clear();
        assert_eq!(scene.selector.select_now().unwrap(), 1, "it is ready still");
        assert_eq!(read_all(&scene.pipe.source), b"x");
        scene.hears();
    }
}

#[test]
fn two_threads_take_turns() {
    if !can_be_had() {
        return;
    }
    let (here, to_here) = mpsc::channel::<Scene>();
    let (there, to_there) = mpsc::channel::<Scene>();
    let other = thread::spawn(move || {
        for mut scene in to_there {
            for _ in 0..5 {
                assert_eq!(scene.selector.select_now().unwrap(), 0);
            }
            scene.hears();
            // Rings on the way.
            (&scene.pipe.sink).write_all(b"x").unwrap();
            here.send(scene).unwrap();
        }
    });
    let mut scene = Scene::new();
    scene.stays();
    for looks in 0..200 {
        there.send(scene).unwrap();
        scene = to_here.recv().unwrap();
        assert_eq!(scene.selector.select_now().unwrap(), 1);
        assert_eq!(read_all(&scene.pipe.source), b"x");
        scene.selector.selected_keys().clear();
        for _ in 0..looks % 7 {
            assert_eq!(scene.selector.select_now().unwrap(), 0);
        }
    }
    drop(there);
    other.join().unwrap();
    scene.stays();
    scene.hears();
}

#[test]
fn the_selector_outlives_the_thread_that_has_the_ring() {
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    for rings in 1..20 {
        scene = thread::spawn(move || {
            scene.hears();
            scene.stays();
            assert_eq!(scene.selector.doorbell().rings, rings);
            scene
        })
        .join()
        .unwrap();
        assert_eq!(scene.selector.select_now().unwrap(), 0);
        scene.hears();
    }
}

/// While the selector is elsewhere, its thread goes on with others, and with their rings.
#[test]
fn a_thread_has_several() {
    if !can_be_had() {
        return;
    }
    let mut scenes: Vec<_> = (0..10).map(|_| Scene::new()).collect();
    scenes.iter_mut().for_each(Scene::stays);
    for _ in 0..20 {
        scenes.iter_mut().for_each(Scene::hears);
        for scene in &scenes {
            (&scene.pipe.sink).write_all(b"x").unwrap();
        }
        for scene in &mut scenes {
            assert_eq!(scene.selector.select_now().unwrap(), 1);
            assert_eq!(read_all(&scene.pipe.source), b"x");
            scene.selector.selected_keys().clear();
            arm(&mut scene.selector);
        }
    }
    elsewhere(&mut scenes[0], |scene| {
        drop(std::mem::replace(scene, Scene::new()));
    });
    scenes.iter_mut().for_each(Scene::hears);
}
