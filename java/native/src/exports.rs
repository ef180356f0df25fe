//! The native methods by class, as the Java sources declare them; but for `Memory.addressOf`,
//! which is [`buffer`](crate::buffer)'s.

use jni::objects::{JByteBuffer, JObject, JString};
use jni::sys::{jint, jlong};

use crate::guard::{export, export_with_env};
use crate::{
    address, bell, buffer, credentials, datagram, descriptor, errno, fields, multicast, option,
    poller, socket, wait,
};

export! { Descriptors {
    read(fd: jint, memory: jlong, length: jint) -> jint = descriptor::read;
    write(fd: jint, memory: jlong, length: jint) -> jint = descriptor::write;
    readv(fd: jint, vector: jlong, count: jint) -> jlong = descriptor::readv;
    writev(fd: jint, vector: jlong, count: jint) -> jlong = descriptor::writev;
    close(fd: jint) -> jint = descriptor::close;
    pipe(memory: jlong) -> jint = descriptor::pipe;
    openBell() -> jlong = bell::open;
    ring(bell: jlong) -> jint = bell::ring;
    quieten(bell: jlong) -> jint = bell::quieten;
    closeBell(bell: jlong) -> jint = bell::close;
    await(fd: jint, events: jint, bell: jlong, nanos: jlong) -> jint = wait::wait;
}}

export! { Sockets {
    open(family: jint, kind: jint) -> jint = socket::open;
    isAvailable(family: jint) -> jint = socket::is_available;
    bind(fd: jint, family: jint, address: jlong) -> jint = socket::bind;
    listen(fd: jint, backlog: jint) -> jint = socket::listen;
    connect(fd: jint, family: jint, address: jlong) -> jint = socket::connect;
    disconnect(fd: jint, family: jint) -> jint = datagram::disconnect;
    takeError(fd: jint) -> jint = socket::take_error;
    accept(fd: jint, address: jlong) -> jint = socket::accept;
    shutdown(fd: jint, how: jint) -> jint = socket::shutdown;
    localAddress(fd: jint, address: jlong) -> jint = address::local_address;
    remoteAddress(fd: jint, address: jlong) -> jint = address::remote_address;
    sendUrgent(fd: jint, data: jint) -> jint = socket::send_urgent;
    available(fd: jint) -> jint = socket::available;
    receive(fd: jint, memory: jlong, length: jint, address: jlong) -> jint = datagram::receive;
    send(fd: jint, family: jint, memory: jlong, length: jint, address: jlong) -> jint
        = datagram::send;
    inspect(fd: jint, memory: jlong) -> jint = socket::inspect;
    duplicate(fd: jint) -> jint = descriptor::duplicate;
    replaceByNull(fd: jint) -> jint = descriptor::replace_by_null;
    peerCredentials(fd: jint, memory: jlong) -> jint = credentials::of_peer;
}}

export_with_env! { Sockets<'local> {
    userName(uid: jint) -> JString<'local> = credentials::user_name;
    groupName(gid: jint) -> JString<'local> = credentials::group_name;
}}

export! { SocketOptionCalls {
    isAvailable(option: jint) -> jint = option::is_available;
    get(fd: jint, family: jint, option: jint) -> jlong = option::get;
    set(fd: jint, family: jint, option: jint, value: jint) -> jint = option::set;
}}

export! { MulticastCalls {
    change(fd: jint, action: jint, group: jlong, interface: jint, source: jlong) -> jint
        = multicast::change;
}}

export_with_env! { Errno<'local> {
    number(name: JString<'local>) -> jint = errno::number;
    text(errno: jint) -> JString<'local> = errno::text;
}}

export_with_env! { Memory<'local> {
    addressOfOwn(buffer: JByteBuffer<'local>) -> jlong = buffer::address_of_own;
}}

export_with_env! { Fields<'local> {
    setReceivedLength(packet: JObject<'local>, length: jint) -> () = fields::set_received_length;
    capacity(packet: JObject<'local>) -> jint = fields::capacity;
}}

export! { PollerCalls {
    open(backend: jint, doorbell: jint, spin_micros: jlong) -> jlong = poller::open;
    close(handle: jlong) -> jint = poller::close;
    select(handle: jlong, changes: jint, millis: jlong) -> jint = poller::select;
    change(handle: jlong, changes: jint) -> jint = poller::change;
    openWaker(handle: jlong) -> jlong = poller::open_waker;
    wake(waker: jlong) -> jint = poller::wake;
    doorbell(waker: jlong, which: jint) -> jlong = poller::doorbell;
    closeWaker(waker: jlong) -> jint = poller::close_waker;
}}

export_with_env! { PollerCalls<'local> {
    backends() -> JString<'local> = poller::backends;
    policies() -> JString<'local> = poller::policies;
    whyNot(backend: jint) -> JString<'local> = poller::why_not;
    memory(handle: jlong) -> JByteBuffer<'local> = poller::memory;
    word(address: jlong) -> JByteBuffer<'local> = poller::word;
    whyNoDoorbell(waker: jlong) -> JString<'local> = poller::why_no_doorbell;
}}
