// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// BoringSSL takes most of the time of an app's first build, so an app asks for it. The broker has it always.
let tls = TargetDependencyCondition.when(traits: ["TLS", "Server"])

/// Where Network.framework is the way to the network.
let apple = TargetDependencyCondition.when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])

/// What only the broker needs. An app that uses the client alone leaves it out, and with it the packages that only the
/// broker is built with: `.package(url: …, from: …, traits: [])`.
let server = TargetDependencyCondition.when(traits: ["Server"])

/// Debian's libnats, which only a broker of several nodes needs. Without the trait what calls it is left out.
let cluster = TargetDependencyCondition.when(traits: ["Cluster"])

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio", condition: server)
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl", condition: server)
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: server)
let clientLogging = Target.Dependency.product(name: "Logging", package: "swift-log")

let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics", condition: server)

/// What `Tests/RoomFuzzTests` feeds with any bytes.
let fuzzed: [Target.Dependency] = [
    "RoomServer", "RoomHTTP", "RoomTransport", "RoomCluster", "RoomStore", "RoomDelivery", "RoomCore", "RoomTokens",
    "RoomWire",
    "RoomJSON", "RoomModel", nioCore,
    .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
    .product(name: "GRDB", package: "GRDB.swift", condition: server),
    .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
]

/// What the tests of the delivery are made of, and the simulation among them.
let simulated: [Target.Dependency] = [
    "RoomTransport", "RoomCluster", "RoomDelivery", "RoomCore", "RoomDocuments", "RoomWire", "RoomModel", "RoomTestKit",
    nioCore, nioEmbedded, nioLocks, nioPosix,
]

let package = Package(
    name: "roomline",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "roomline", targets: ["roomline"]),
        .library(name: "RoomClient", targets: ["RoomClient"]),
        .library(name: "Scaledrone", targets: ["Scaledrone"]),
        .library(name: "RoomTokens", targets: ["RoomTokens"]),
        .library(name: "RoomAdmin", targets: ["RoomAdmin"]),
        .library(name: "RoomClientTesting", targets: ["RoomClientTesting"]),
    ],
    traits: [
        .trait(name: "TLS", description: "tls:// and wss:// in the client, by BoringSSL; not needed on Apple systems"),
        .trait(name: "Server", description: "The broker and its command line"),
        .trait(
            name: "Cluster",
            description: "Several nodes on NATS JetStream, by libnats (apt-get install libnats-dev)"
        ),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-transport-services", from: "1.28.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "RoomModel", dependencies: [nioCore], swiftSettings: settings),
        .target(name: "RoomJSON", dependencies: ["RoomModel", nioCore], swiftSettings: settings),
        .target(name: "RoomWire", dependencies: ["RoomJSON", "RoomModel", nioCore], swiftSettings: settings),
        .target(
            name: "RoomDocuments",
            dependencies: ["RoomWire", "RoomJSON", "RoomModel", nioCore],
            swiftSettings: settings
        ),
        // No pkgConfig: the headers are where the compiler looks anyway, and without pkg-config every build would warn.
        .systemLibrary(name: "CLibcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // The files of the web pages, within the binary.
        .target(name: "CPages"),
        // The commit that a binary was built from.
        .target(name: "CBuild"),
        // What glibc has beside the C library: the module that Swift imports leaves it out.
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "RoomCrypto",
            dependencies: [.target(name: "CLibcrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: settings
        ),
        .target(name: "RoomHost", swiftSettings: settings),
        .target(name: "RoomTokens", dependencies: ["RoomCrypto"], swiftSettings: settings),
        .target(
            name: "RoomCore",
            dependencies: [
                "RoomTokens", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomDelivery",
            dependencies: [
                "RoomCore", "RoomDocuments", "RoomWire", "RoomJSON", "RoomModel", nioCore, nioLocks,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
                .product(name: "HeapModule", package: "swift-collections", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomStore",
            dependencies: [
                "RoomCore", "RoomCrypto", "RoomHost", "RoomJSON", "RoomModel", nioCore, nioLocks, logging,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
                .product(name: "GRDB", package: "GRDB.swift", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
            ],
            swiftSettings: settings
        ),
        // No pkgConfig, for the reason above.
        .target(name: "CNats"),
        .target(
            name: "RoomCluster",
            dependencies: [
                "RoomStore", "RoomMetrics", "RoomDelivery", "RoomCore", "RoomWire", "RoomJSON", "RoomModel", nioCore,
                nioLocks, nioPosix, logging,
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "DequeModule", package: "swift-collections", condition: server),
                .product(name: "HeapModule", package: "swift-collections", condition: server),
                .target(name: "CNats", condition: cluster),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomTransport",
            dependencies: [
                "RoomDelivery", "RoomCore", "RoomWire", "RoomModel", nioCore, nioLocks, nioPosix,
                nioSSL, nioTLS,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomMetrics",
            dependencies: [
                "RoomDelivery", "RoomCore", "RoomDocuments", "RoomHost", "RoomModel", nioCore, nioLocks, logging,
                metrics,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomControl",
            dependencies: [
                "RoomMetrics", "RoomDelivery", "RoomCore", "RoomCrypto", "RoomDocuments", "RoomWire", "RoomJSON",
                "RoomModel",
                nioLocks, logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomHTTP",
            dependencies: [
                "RoomControl", "RoomMetrics", "RoomDelivery", "RoomCore", "RoomCrypto", "RoomDocuments", "RoomWire",
                "RoomJSON", "RoomModel",
                nioCore, nioLocks, nioPosix, logging,
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                nioSSL,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .target(name: "CPages", condition: server),
                .target(name: "CZlib", condition: server),
            ],
            exclude: ["Pages"],
            swiftSettings: settings
        ),
        .target(
            name: "RoomServer",
            dependencies: [
                "RoomHTTP", "RoomControl", "RoomMetrics", "RoomTransport", "RoomCluster", "RoomStore", "RoomDelivery",
                "RoomCore", "RoomHost", "RoomJSON", "RoomModel", nioCore, nioLocks, nioPosix, metrics, logging,
                .target(name: "CMalloc", condition: .when(platforms: [.linux], traits: ["Server"])),
                .target(name: "CBuild", condition: server),
                nioSSL,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomClient",
            dependencies: [
                "RoomWire", "RoomJSON", "RoomModel", nioCore, nioLocks, nioPosix, clientLogging,
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: tls),
                .product(name: "NIOTransportServices", package: "swift-nio-transport-services", condition: apple),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomClientTesting",
            dependencies: ["RoomClient", "RoomWire", "RoomModel", nioCore, nioEmbedded, clientLogging],
            swiftSettings: settings
        ),
        .target(name: "Scaledrone", dependencies: ["RoomClient"], swiftSettings: settings),
        .target(
            name: "RoomAdmin",
            dependencies: [
                "RoomClient", "RoomDocuments", "RoomWire", "RoomJSON", "RoomModel", nioCore, nioLocks, nioPosix,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: tls),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomBench",
            dependencies: ["RoomClient", "RoomHost", "RoomWire", "RoomJSON", "RoomModel", nioCore, nioPosix],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "roomline",
            dependencies: [
                "RoomServer", "RoomAdmin", "RoomBench", "RoomClient", "RoomCore", "RoomTokens", "RoomDocuments",
                "RoomHost", "RoomWire", "RoomJSON", "RoomModel", nioCore, nioLocks, nioPosix, logging, nioSSL,
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomTestKit",
            dependencies: [
                "RoomTransport", "RoomControl", "RoomMetrics", "RoomCluster", "RoomDelivery", "RoomCore", "RoomTokens",
                "RoomDocuments", "RoomWire", "RoomModel",
                nioCore, nioEmbedded, nioLocks, nioPosix, logging,
                .product(name: "DequeModule", package: "swift-collections", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
            ],
            path: "Tests/RoomTestKit",
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomCoreTests",
            dependencies: ["RoomCluster", "RoomCore", "RoomTokens", "RoomModel", "RoomTestKit", nioCore],
            exclude: ["Records/Golden"],
            swiftSettings: settings
        ),
        .testTarget(name: "RoomCryptoTests", dependencies: ["RoomCrypto"], swiftSettings: settings),
        .testTarget(name: "RoomHostTests", dependencies: ["RoomHost", nioCore, nioPosix], swiftSettings: settings),
        .testTarget(
            name: "RoomTokensTests",
            dependencies: ["RoomTokens", "RoomCore", "RoomModel", nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomJSONTests",
            dependencies: ["RoomJSON", "RoomModel", nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomWireTests",
            dependencies: ["RoomWire", "RoomJSON", "RoomModel", nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomStoreTests",
            dependencies: [
                "RoomStore", "RoomCluster", "RoomCore", "RoomModel", "RoomTestKit", nioCore, nioLocks, logging,
                .product(name: "GRDB", package: "GRDB.swift", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomClusterTests",
            dependencies: [
                "RoomCluster", "RoomDelivery", "RoomCore", "RoomJSON", "RoomModel", "RoomTestKit", nioCore, nioLocks,
                nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomDeliveryTests",
            dependencies: simulated,
            exclude: ["Simulation/Runner", "Simulation/Kept"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomTransportTests",
            dependencies: [
                "RoomTransport", "RoomDelivery", "RoomCore", "RoomWire", "RoomModel", "RoomTestKit", nioCore,
                nioEmbedded, nioPosix, nioLocks,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomClientTests",
            dependencies: [
                "RoomClient", "RoomWire", "RoomModel", "RoomTestKit", "roomline", nioCore, nioEmbedded, nioLocks,
                nioPosix, clientLogging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomClientTestingTests",
            dependencies: ["RoomClientTesting", "RoomClient", "RoomTestKit", "roomline"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomAdminTests",
            dependencies: ["RoomAdmin", "RoomClient", "RoomDocuments", "RoomTestKit", "roomline", nioCore, nioLocks],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomBenchTests",
            dependencies: ["RoomBench", "RoomWire", "RoomModel", nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "roomlineTests",
            dependencies: [
                "roomline", "RoomAdmin", "RoomBench", "RoomClient", "RoomCore", "RoomTokens", "RoomDocuments",
                "RoomWire",
                "RoomJSON", "RoomModel", nioCore,
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ScaledroneTests",
            dependencies: ["Scaledrone", "RoomClient", "RoomModel", "RoomTestKit", "roomline", nioLocks],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomMetricsTests",
            dependencies: [
                "RoomMetrics", "RoomDelivery", "RoomCore", "RoomDocuments", "RoomModel", "RoomTestKit", nioCore,
                nioEmbedded, nioLocks,
                logging, metrics,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomControlTests",
            dependencies: [
                "RoomControl", "RoomMetrics", "RoomDelivery", "RoomCore", "RoomModel", "RoomTestKit", nioCore, nioLocks,
                logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomHTTPTests",
            dependencies: [
                "RoomHTTP", "RoomControl", "RoomMetrics", "RoomDelivery", "RoomCore", "RoomDocuments", "RoomWire",
                "RoomJSON",
                "RoomModel", "RoomTestKit", nioCore, nioEmbedded, nioLocks, nioPosix, logging,
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomServerTests",
            dependencies: [
                "RoomServer", "RoomControl", "RoomHTTP", "RoomTransport", "RoomCluster", "RoomStore", "RoomDelivery",
                "RoomCore", "RoomModel", nioCore, nioEmbedded, logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RoomFuzzTests",
            dependencies: fuzzed,
            exclude: ["Corpus", "Driver"],
            swiftSettings: settings
        ),
    ]
)

// The benchmarks of single parts (docs/performance.md), which a build of everything compiles, too.
if ["ROOMLINE_CONCURRENT_TESTS", "ROOMLINE_MUTANT_TESTS"].allSatisfy({ Context.environment[$0] == nil }) {
    package.targets += [
        .target(name: "BenchmarkClock", path: "Benchmarks/Sources/BenchmarkClock", swiftSettings: settings),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: ["RoomClient", "BenchmarkClock"],
            path: "Benchmarks/Sources/ClientBenchmark",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "WireBenchmark",
            dependencies: ["RoomWire", "RoomModel", "BenchmarkClock", nioCore],
            path: "Benchmarks/Sources/WireBenchmark",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "BenchmarkClock", "RoomStore", "RoomCore", "RoomModel", nioCore, logging,
                .product(name: "GRDB", package: "GRDB.swift", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
            ],
            path: "Benchmarks/Sources/StoreBenchmark",
            swiftSettings: settings
        ),
    ]
}

// What `.ci/thread-sanitizer` builds: the tests that it names, with what they need.
if let names = Context.environment["ROOMLINE_CONCURRENT_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.isTest && !names.contains($0.name) }
}

// What `scripts/mutants` builds: the tests of what it breaks, without those that need the built broker.
if Context.environment["ROOMLINE_MUTANT_TESTS"] != nil {
    let broken: Set = [
        "RoomCoreTests", "RoomDeliveryTests", "RoomStoreTests", "RoomControlTests", "RoomWireTests",
        "RoomTransportTests", "RoomClientTests",
    ]
    let unneeded: Set = [
        "roomline", "RoomServer", "RoomHTTP", "RoomAdmin", "RoomBench", "RoomClientTesting", "Scaledrone",
    ]
    package.targets.removeAll { unneeded.contains($0.name) || $0.isTest && !broken.contains($0.name) }
    package.products.removeAll { unneeded.contains($0.name) }
    for target in package.targets where target.name == "RoomClientTests" {
        target.exclude.append("EndToEnd")
        target.dependencies.removeAll { if case .byNameItem("roomline", _) = $0 { true } else { false } }
    }
}

// What `scripts/fuzz` builds: the same targets under libFuzzer, with the AddressSanitizer. Only our own parsers are
// instrumented, and only they guide it.
if Context.environment["ROOMLINE_FUZZ"] != nil {
    let instrumented: Set = [
        "RoomModel", "RoomJSON", "RoomWire", "RoomDocuments", "RoomTokens", "RoomCore", "RoomCluster", "RoomStore",
        "RoomTransport", "RoomHTTP", "RoomServer",
    ]
    package.targets.removeAll { $0.isTest }
    package.targets.append(
        .executableTarget(
            name: "RoomFuzz",
            dependencies: fuzzed,
            path: "Tests/RoomFuzzTests",
            exclude: ["Corpus", "FuzzCorpusTests.swift", "Mutator.swift"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
            // lld takes the `main` that comes first; libFuzzer's library has another one.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]
        )
    )
    for target in package.targets where instrumented.contains(target.name) || target.name == "RoomFuzz" {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])
            ]
    }
}

// What `scripts/simulate` builds: the simulation as a program, optimised.
if Context.environment["ROOMLINE_SIMULATE"] != nil {
    package.targets.removeAll { $0.isTest }
    package.targets.append(
        .executableTarget(
            name: "RoomSimulation",
            dependencies: simulated,
            path: "Tests/RoomDeliveryTests",
            exclude: [
                "Simulation/SimulationTests.swift", "Simulation/StepListTests.swift", "Simulation/KeptRunTests.swift",
                "Simulation/Kept",
            ],
            sources: [
                "Simulation", "OneThread.swift", "RoomShard+Memory.swift", "TestBroker+Asking.swift",
                "TestBroker+Moderation.swift", "Moderation/TestBroker+Sanctions.swift",
            ],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        )
    )
    for target in package.targets where target.name == "RoomDelivery" {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"])]
    }
}
