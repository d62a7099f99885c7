// swift-tools-version: 6.2
import PackageDescription

// A package of its own: nothing else needs a NATS client. As in `../Package.swift`, the directories of the product's
// targets are links.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

let package = Package(
    name: "roomline-cluster-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .target(name: "RoomModel", dependencies: [nioCore], swiftSettings: settings),
        .systemLibrary(name: "CLibcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "RoomCrypto",
            dependencies: [.target(name: "CLibcrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: settings
        ),
        .target(name: "RoomJSON", dependencies: ["RoomModel", nioCore], swiftSettings: settings),
        .target(name: "RoomWire", dependencies: ["RoomJSON", "RoomModel", nioCore], swiftSettings: settings),
        .target(name: "RoomTokens", dependencies: ["RoomCrypto"], swiftSettings: settings),
        .target(
            name: "RoomCore",
            dependencies: [
                "RoomTokens", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks, deque, heap,
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomStore",
            dependencies: [
                "RoomCore", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks, logging, deque,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ClusterBenchmark",
            dependencies: ["CNats", "RoomCore", "RoomModel", "RoomStore", "RoomWire", nioCore, logging, deque],
            swiftSettings: settings
        ),
    ]
)
