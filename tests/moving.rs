//! A poller, or a selector, that one thread after another uses.

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use common::{await_end, look, on_every_backend, returns_early, selector, unix_pair};
use nioselect::poller::{Kind, Mode, Poller, Token};
use nioselect::{Backend, Ops, SelectableChannel, Selector};

/// A poller with one stream registered, and the stream's peer.
struct Scene {
    poller: Poller<UnixStream>,
    token: Token,
    peer: UnixStream,
}

impl Scene {
    fn new(backend: Backend) -> Self {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, peer) = UnixStream::pair().unwrap();
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        Self {
            poller,
            token,
            peer,
        }
    }

    fn hears_its_peer(&mut self) {
        assert_eq!(look(&mut self.poller), []);
        self.peer.write_all(b"x").unwrap();
        for _ in 0..3 {
            assert_eq!(look(&mut self.poller), [(self.token, Ops::READ)]);
        }
        let mut ours = self.poller.source(self.token).unwrap();
        ours.read_exact(&mut [0]).unwrap();
        assert_eq!(look(&mut self.poller), []);
    }
}

/// What is done with a scene, which may be the last.
type Act = fn(Scene) -> Option<Scene>;

/// A thread that lives as long as this, and does with a scene what it is told.
struct Thread {
    work: Sender<(Scene, Act)>,
    done: Receiver<Option<Scene>>,
}

impl Thread {
    fn start() -> Self {
        let (work, to_do) = mpsc::channel::<(Scene, Act)>();
        let (report, done) = mpsc::channel();
        thread::spawn(move || {
            for (scene, act) in to_do {
                report.send(act(scene)).unwrap();
            }
        });
        Self { work, done }
    }

    fn does(&self, scene: Scene, act: Act) -> Option<Scene> {
        self.work.send((scene, act)).unwrap();
        self.done.recv().unwrap()
    }
}

fn hear(mut scene: Scene) -> Option<Scene> {
    scene.hears_its_peer();
    Some(scene)
}

#[test]
fn it_goes_from_thread_to_thread() {
    on_every_backend(|backend| {
        let threads = [Thread::start(), Thread::start()];
        let mut scene = Scene::new(backend);
        for _ in 0..20 {
            for thread in &threads {
                scene = thread.does(scene, hear).unwrap();
            }
            scene.hears_its_peer();
        }
    });
}

#[test]
fn it_outlives_the_threads_that_have_used_it() {
    on_every_backend(|backend| {
        let mut scene = Scene::new(backend);
        for _ in 0..20 {
            scene = thread::spawn(|| hear(scene).unwrap()).join().unwrap();
        }
        scene.hears_its_peer();
    });
}

fn deregister(mut scene: Scene) -> Option<Scene> {
    drop(scene.poller.deregister(scene.token).unwrap());
    await_end(&scene.peer);
    None
}

fn drop_poller(scene: Scene) -> Option<Scene> {
    drop(scene.poller);
    await_end(&scene.peer);
    None
}

/// Whoever deregisters may close at once, and the peer sees it, though another thread is the one
/// that has waited.
#[test]
fn the_end_is_seen_whichever_thread_brings_it_about() {
    on_every_backend(|backend| {
        for end in [deregister as Act, drop_poller] {
            let thread = Thread::start();
            let mut scene = Scene::new(backend);
            scene.hears_its_peer();
            thread.does(scene, end);

            let mut scene = Scene::new(backend);
            scene = thread.does(scene, hear).unwrap();
            end(scene);

            let mut scene = Scene::new(backend);
            scene = thread.does(scene, hear).unwrap();
            scene.hears_its_peer();
            end(scene);
        }
    });
}

/// A selector with an edge-triggered registration, the channel of that and its peer, on every
/// backend that has edges.
fn on_every_backend_with_an_edge(
    test: impl Fn(Backend, Selector<()>, SelectableChannel<UnixStream>, UnixStream),
) {
    on_every_backend(|backend| {
        if common::has_edges(backend) {
            let mut selector = selector(backend);
            let (ours, theirs) = unix_pair();
            ours.register_with_mode(&selector, Ops::READ, Mode::Edge, ())
                .unwrap();
            selector.select_now().unwrap();
            test(backend, selector, ours, theirs);
        }
    });
}

#[test]
fn an_edge_that_no_thread_has_been_told_is_told_to_the_next() {
    on_every_backend_with_an_edge(|_, mut selector, _ours, mut theirs| {
        theirs.write_all(b"x").unwrap();
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(returns_early(&mut selector), 1));
        });
    });
}

#[test]
fn an_edge_is_told_again_only_where_the_mechanism_is_made_anew() {
    on_every_backend_with_an_edge(|backend, mut selector, _ours, mut theirs| {
        theirs.write_all(b"x").unwrap();
        assert_eq!(returns_early(&mut selector), 1);
        selector.selected_keys().clear();
        thread::scope(|scope| {
            scope.spawn(|| {
                let expected = usize::from(backend == Backend::IoUring);
                assert_eq!(selector.select_now().unwrap(), expected);
            });
        });
    });
}
