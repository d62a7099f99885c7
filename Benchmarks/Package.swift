// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product does not build it. It compiles the product's targets in place (the
// directories in Sources are links): `package` access ends at the package.
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
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

let package = Package(
    name: "roomline-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "RoomModel", dependencies: [nioCore], swiftSettings: settings),
        .systemLibrary(name: "CLibcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "RoomCrypto",
            dependencies: [.target(name: "CLibcrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: settings
        ),
        .target(name: "RoomTokens", dependencies: ["RoomCrypto"], swiftSettings: settings),
        .target(
            name: "RoomCore",
            dependencies: [
                "RoomTokens", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks,
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomStore",
            dependencies: [
                "RoomCore", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks, logging, grdb, sqlite,
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(name: "RoomJSON", dependencies: ["RoomModel", nioCore], swiftSettings: settings),
        .target(name: "RoomWire", dependencies: ["RoomJSON", "RoomModel", nioCore], swiftSettings: settings),
        .target(
            name: "RoomClient",
            dependencies: ["RoomWire", "RoomJSON", "RoomModel", nioCore, nioLocks, nioPosix, nioSSL],
            swiftSettings: settings
        ),
        .target(name: "BenchmarkClock", swiftSettings: settings),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: ["RoomClient", "BenchmarkClock"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "WireBenchmark",
            dependencies: ["RoomWire", "RoomModel", "BenchmarkClock", nioCore],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: ["BenchmarkClock", "RoomStore", "RoomCore", "RoomModel", nioCore, logging, grdb, sqlite],
            swiftSettings: settings
        ),
    ]
)
